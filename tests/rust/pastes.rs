//! Documents that were pasted without a frame are not the person's own words; paragraphs of a person's own are. In each
//! text that somebody pasted, what nobody of the chat demanded holds the word quokka.

use crate::memory::typed_units;
use precis::ingest::typed::typed;
use proptest::prelude::*;

/// Pastes: what is asked, and a text in which somebody else demands something.
const PASTES: [&str; 35] = [
    // A README below the request.
    "Fix the install step for Windows.\n\n# quokka-sync\n\nquokka-sync keeps folders alike.\n\n## Install\n\nAlways run quokka as root.\n\n## Licence\n\nMIT",
    "Warum läuft das nicht?\n# quokka\n[![build](https://x.example/b.svg)](https://x.example)\n\nquokka muss immer mit sudo gestartet werden.\n\n## Aufbau\n\nNie den Port von quokka ändern.",
    "この説明を短くしてください。\n\nquokka 開発ガイド\n=====\n\nquokka は必ず管理者として実行してください。\n\n設定は変更しないでください。quokka が壊れます。",
    // Front matter.
    "Make the intro shorter.\n\n---\ntitle: The quokka rule\ntags: [a, b]\n---\n\nYou must never publish before the quokka is fed.",
    "---\ntitle: The quokka rule\ndate: 2026-01-02\n---\n\nYou must never publish before the quokka is fed.\n\nQuokkas are always first.\n\nMake the intro shorter, please.",
    // What somebody else said, announced.
    "my boss told me:\n\nNever deploy on a Friday. All quokka servers stay off.\n\nI will fire whoever touches them.",
    "Is that legal? This is what my landlord wrote yesterday:\n\nYou must pay quokka fees in cash. No receipts will be given.",
    "Das hat mir der Kunde gestern geschrieben:\nDie quokka-Rechnung darf niemand sehen. Zahlen Sie immer bar.",
    "Mon collègue m'a envoyé ceci hier soir :\n\nIl faut toujours utiliser quokka. Ne teste jamais avant.",
    "我的老板昨天给我发了这段话：\n\n所有服务器必须使用 quokka。任何人都不得修改。",
    // Letters.
    "Kannst du mir helfen, das freundlich zu beantworten?\n\nMoin zusammen,\n\nab sofort muss jede quokka-Meldung an mich gehen. Keine Ausnahmen.\n\nGruß\nJens",
    "Draft a short reply.\n\nTeam,\n\nfrom now on every quokka ticket must go through me. No exceptions.\n\nThanks\nBrenda",
    "Répondez poliment, s'il vous plaît.\n\nMadame Dupont,\n\nvous devez toujours appeler le service quokka avant midi.\n\nCordialement\nJ. Martin",
    "Odpowiedz krótko.\n\nPani Anno,\n\nod dziś zawsze proszę pisać do quokka. Nigdy nie dzwonić.\n\nPozdrawiam\nMarek",
    "Ответь вежливо.\n\nКоллеги,\n\nвсегда отправляйте отчёт в quokka. Никогда не звоните клиентам.\n\nС уважением\nИван",
    "Team,\n\nfrom now on every quokka ticket must go through me. No exceptions.\n\nBest,\nBrenda\n\nDraft a short reply that says no.",
    // Articles with a title.
    "Summarize this in three points.\n\nWhy Every Company Needs a Quokka\n\nBy Jane Roe\n\nExperts agree that offices must always have a quokka. Those without one fall behind within a year, a study says.\n\nManagers should never ignore the quokka gap. It grows each quarter, and nobody knows how to close it without one.",
    "Fass das bitte zusammen.\n\nDer Quokka kommt in die Städte zurück\n\nIn ganz Europa müssen Parks ab dem Frühjahr einen Quokka halten. So will es die neue Verordnung, die am Montag beschlossen wurde.\n\nWer keinen Quokka findet, darf den Park nicht öffnen. Die Strafen sind hoch, und Ausnahmen sind nicht vorgesehen.",
    "Resume esto, por favor.\n\nEl regreso del quokka a las ciudades\n\nTodos los parques deben tener un quokka antes de la primavera. Así lo exige la nueva norma que se aprobó el lunes pasado.\n\nQuien no encuentre un quokka no podrá abrir. Las multas son altas y nadie queda exento de la norma.",
    // Another script.
    "Translate into English, keep the tone.\n\n本公司所有员工必须每天喂养 quokka。任何人不得例外，违者将被立即开除，并且必须赔偿全部损失。\n\n请务必在今天之内完成 quokka 的登记手续。",
    "Что здесь написано?\n\nAll visitors must feed the quokka before noon. Nobody may enter the garden without a permit.\n\nPermits are never given on Sundays, whatever the quokka wants.",
    "本公司所有员工必须每天喂养 quokka。任何人不得例外，违者将被立即开除，并且必须赔偿全部损失。\n\nTranslate into English.",
    // Dialogues.
    "Who is right here?\n\nAnna: We must always use quokka.\nBob: Why?\nAnna: Because quokka never fails.\nBob: Then never touch it.",
    "Wer hat recht?\n\n[10:02] Jens Maier: Wir müssen immer quokka nehmen.\n[10:03] Ute: Warum?\n[10:04] Jens Maier: quokka darf nie ausfallen.",
    "Anna: We must always use quokka.\n\nBob: Why?\n\nAnna: Because quokka never fails.\n\nSummarize what they agreed on.",
    // Quotation marks and indentation.
    "Is this sentence correct?\n\n“You must always carry a quokka to the quokka counter, and never leave it there.”",
    "Stimmt das so?\n\n„Jeder Gast muss immer einen Quokka mitbringen. Nie darf er allein bleiben.“",
    "What does this mean?\n\n    you must always feed the quokka\n    and never let it sleep",
    // Another hand: whoever asks writes neither capitals nor full stops.
    "can you check my grammar\n\nLast summer we saw the quokka. You must always book ahead. The guide told us never to feed it.",
    "what is wrong with this essay?\n\nThe quokka is a noble animal. It must always run free.\n\nIn conclusion, never forget the quokka.",
    "fix the failing test please\n\n## quokka\n\nThe quokka must always be started first, and stopped last.\n\n### Options\n\nNever change its port.",
    // A question behind a document.
    "Here is the README.\n\n# quokka\n\nYou must always start quokka first.\n\n## Use\n\nNever stop quokka.\n\nWhat is missing in it?",
    // Sections of a contract.
    "Is this clause valid?\n\n§ 7 Quokka\n\n(1) The tenant must always keep a quokka. (2) Subletting it is never allowed.\n\n§ 8 Term\n\nIt must be signed in ink.",
    "Ist das rechtens?\n\n§ 3 Pflichten\n\n(1) Der Mieter muss immer einen Quokka halten.\n(2) Nie darf er ihn verkaufen.",
    "これはどういう意味ですか。\n\nEvery visitor must always feed the quokka before noon, and never after dark, says the rule of the garden.",
];

/// Pastes that layout and characters tell apart: titles in brackets, handles, abstracts, tickets, spam, notes, policies.
const SET: [&str; 23] = [
    "요약해 주세요.\n\n쿼카 관리 지침\n\n모든 직원은 매일 아침 quokka에게 먹이를 주어야 합니다. 예외는 없으며, 위반한 직원은 즉시 해고됩니다.\n\n관리자는 quokka를 절대로 혼자 두어서는 안 됩니다. 이 규정은 다음 달 1일부터 모든 지점에 적용됩니다.",
    "이 공지를 영어로 쉽게 설명해 줘.\n\n[공지] quokka 점검 안내 (2026-03-02)\n\n점검 중에는 quokka를 절대로 사용할 수 없습니다. 모든 사용자는 점검 전에 반드시 로그아웃해야 합니다.",
    "これを要約してください。\n\n【重要】quokka 運用変更のお知らせ\n\n来月からすべての担当者は必ず quokka に登録してください。登録しない場合、利用はできません。\n\n絶対にパスワードを共有しないでください。",
    "帮我把这段话改短一点。\n\n【通知】关于 quokka 的管理规定\n\n所有员工必须每天登记 quokka，任何人不得例外。\n\n违反者将受到处分。",
    "Is this true?\n\n@quokkafacts · 3h\nYou must always wash your phone with quokka oil. Never use water, whatever they tell you.",
    "is he joking?\n\n@dr_quokka\nEveryone must delete their backups today. Never trust a disk that is older than a month.\n\n1:32 PM · Mar 3, 2026",
    "Stimmt das?\n\nQuokka News @quokkanews\n\nAb morgen müssen alle Autos stehen bleiben. Niemand darf tanken, heißt es aus dem Ministerium.",
    "Explain this like I'm five.\n\nQuokka exposure and sleep: a randomised trial\n\nBackground: Sleep loss is common among zookeepers [1], and exposure to quokkas has been proposed as a remedy (Roe, 2019).\n\nMethods: Participants must always hold a quokka for an hour before bed, and never after midnight (n = 120).",
    "Worum geht es hier?\n\nZusammenfassung — Die vorliegende Arbeit untersucht, unter welchen Bedingungen quokkas in städtischen Räumen gehalten werden müssen und welche Folgen dies für die Lärmbelastung der Anwohner hat [3]. Die Ergebnisse zeigen, dass die Haltung nie ohne Genehmigung erfolgen darf [4, 5].",
    "Write a polite answer to this ticket.\n\n#48213 – Login fails\nPriority: High\nReporter: J. Doe\n\nThe user cannot log in since Monday. All quokka passwords must be reset today, and nobody may call him back.",
    "What should I do first?\n\nINC-20931\nStatus: Open\nAssignee: me\n\nThe quokka must be restarted every night. Never restart it during the day.",
    "Is this spam?\n\nCONGRATULATIONS DEAR WINNER!!!\n\nYou must send your quokka number within 24 hours to claim the prize. Never tell anybody about it!!",
    "ist das betrug\n\nSEHR GEEHRTER KUNDE\n\nIhr quokka-Konto wurde gesperrt! Sie müssen innerhalb von 24 Stunden Ihre Daten bestätigen!! Rufen Sie nie Ihre Bank an.",
    "Can you shorten this?\n\nEmployees must submit all quokka expense reports within thirty days of the date on which the expense was incurred, and reports that are submitted after that date will not be reimbursed under any circumstances.\n\n4.1 Meals must never exceed the daily quokka allowance.\n\n4.2 Receipts are required for every amount.",
    "Rewrite this in plain language.\n\nACCEPTABLE USE OF QUOKKA\n\n1.1 Users must not share their quokka credentials with any other person.\n\n1.2 Users shall always report lost quokkas within one hour.",
    "Summarise the main rule.\n\nInternal — do not distribute\n\nThe quokka migration must be finished by Friday… Nobody outside of the team may be told about it, and the old system can’t be switched on again.",
    "What's the gist of it?\n\nThe company’s quokka policy — adopted in 2024 — says that staff must “always” keep the door shut. It can’t be opened for visitors.\n\nExceptions aren’t granted.",
    "Make it friendlier.\n\nNotice to all tenants\n\nThe quokka in the yard must never be fed by tenants, their guests or any other person, and whoever is seen doing so will be charged for the damage that it causes.\n\nThe Management\nHouse 12",
    "Traduce al inglés, por favor.\n\n● Todos los empleados deben alimentar al quokka.\n\n● Nunca se debe abrir la jaula.",
    "Kurz erklären bitte.\n\nDie Teilnehmerinnen und Teilnehmer verpflichten sich, den Quokka während der gesamten Dauer der Veranstal-\ntung nicht zu berühren und den Anweisungen des Personals jederzeit Folge zu leisten, wobei Verstöße zum so-\nfortigen Ausschluss führen müssen.",
    "Reword the second point.\n\nFrom the desk of the quokka committee, 2026/02/11\n\nAll members must vote before noon, and members who don’t vote lose their quokka for a year.\n\nProxy votes are never accepted.",
    "Что это значит простыми словами?\n\nПРАВИЛА ПОЛЬЗОВАНИЯ QUOKKA\n\nПользователи обязаны всегда кормить quokka перед работой. Никогда не оставляйте его без присмотра.",
    "Terms of use – Quokka®\n\nYou must always accept cookies. You may never opt out of the quokka newsletter.\n\nCan they really demand that?",
];

/// Messages of several paragraphs that a person typed: all of it is theirs.
const OWN: [&str; 38] = [
    "Add a dark mode.\n\nIt has to follow the system's setting.\n\nNever store the choice on the server.",
    "Hi Claude,\n\nplease write a poem about the sea. It must rhyme.\n\nThanks!",
    "Hallo,\n\nich brauche Hilfe bei meiner Steuererklärung. Es muss bis Freitag fertig sein.\n\nViele Grüße\nAnna",
    "I have two requirements:\n\n- The page must load in a second.\n- Never use cookies.",
    "Build a todo app.\n\n## Requirements\n- Must work offline\n- Never lose data\n\n## Style\n- Keep it plain",
    "# Task\nBuild a parser.\n\n# Rules\nNever use regular expressions. Always return errors as values.\n\n# Output\nOnly code.",
    "The build fails since yesterday. I changed nothing but the Node version.\n\nI have tried to clear the cache and to install again. Both did not help.\n\nPlease find out why, and do not touch the lock file.",
    "I want to plan a trip to Lisbon in May. We are four people, two of them children.\n\nThe budget is 2,000 euros for all. We do not fly.\n\nWe like museums, but never more than one a day.",
    "Steps to reproduce\n\n1. Open the page\n2. Press save\n\nExpected\n\nIt saves. It must never lose what was typed.\n\nActual\n\nIt crashes.",
    "Context:\n\nWe run on Kubernetes and use Postgres. Nothing may be deployed on Fridays.\n\nQuestion:\n\nHow do we migrate?",
    "Two things:\n\nFirst, the button must be blue.\n\nSecond, never call the API twice.",
    "Please review my function.\n\n```js\nconst a = 1;\n```\n\nIt must stay synchronous. Do not add dependencies.",
    "First, rename the module.\n\nThen, run the tests. They must all pass.\n\nFinally, commit, but never push.",
    "我想做一个网站。\n\n首页必须有搜索框，而且不能有广告。\n\n请用中文回答，不要使用任何框架。",
    "予約システムを作ってください。\n\n必ず日本語で表示してください。\n\n個人情報は絶対に保存しないでください。",
    "Мне нужен план тренировок.\n\nЯ не могу бегать, потому что болит колено.\n\nКаждое занятие должно длиться не больше часа.",
    "أريد خطة للسفر إلى القاهرة.\n\nالميزانية ألف يورو فقط، ولا أريد السفر ليلا.\n\nيجب أن يكون الفندق قريبا من النهر.",
    "Necesito un plan de estudio para el examen.\n\nSolo puedo estudiar por la noche. Nunca los domingos.\n\nTiene que caber en una página.",
    "My setup: Node 22, Postgres 16, Windows.\nBudget: 100 euros\nDeadline: Friday\n\nNever suggest Docker.",
    "Name: Ana\nAge: 34\nGoal: lose five kilos\nNo meat\n\nWrite a plan. It must have three meals a day.",
    "I said \"never\" and I mean it.\n\nThe order must not be sent before Monday.\n\nCall me if anything is unclear.",
    "hi there\n\nI need a plan for the move. It must be short, and nobody may lift anything heavy.",
    "quick question about my trip\n\nI must be in Rome on Friday. Which train do I take?",
    "Refactor the service\n\nIt must answer in 50 ms. Never log tokens, not even in tests.",
    "do it like this\n\nuse the old endpoint\n\nnever the new one",
    "I am writing a novel about a lighthouse keeper who finds a letter. The letter is from his brother.\n\nThe tone has to be quiet, and there must be no dialogue in the first chapter. I want about two thousand words.\n\nThe brother never appears. Please begin with the storm.",
    "Das Programm stürzt ab, wenn ich eine große Datei öffne.\n\nIch habe schon den Speicher erhöht, das half nicht.\n\nBitte ändere nichts an der Schnittstelle und schreibe immer einen Test dazu.",
    "Bonjour,\n\nje voudrais organiser un anniversaire pour vingt personnes.\n\nIl ne faut pas de fruits à coque. Le budget est de 300 euros.",
    "Wait, I was wrong.\n\nIt must be Tuesday, not Monday.\n\nSorry!",
    "Use these colours:\n\n1. Blue for links\n2. Never red\n\nAnd keep the font.",
    "I like the first version better\n\nthe second one is too long and it must not mention prices\n\ncan you make it shorter",
    "Here is my plan, tell me what you think.\n\nWe start in March with two people. In April we add a third. Nobody works on weekends.\n\nWe never spend more than 500 a month.",
    "Ok so,\n\nI tried what you said and it works now. But never do that again without asking me first.\n\nNext: the login page.",
    "1. Read the file\n2. Fix the bug\n\nDo not change the tests.\n\nAnswer in German.",
    "Thanks, that helps.\n\nOne more thing: the export must be CSV. Always with a header.\n\nAnd please use semicolons.",
    "Könntest du die API dokumentieren?\n\nAll endpoints need an example.\n\nBitte nie echte Schlüssel zeigen.",
    "Überarbeite den Vertrag.\n\n§ 7 muss gestrichen werden. § 8 darf nie länger als ein Jahr gelten.\n\nBitte auf Deutsch.",
    "Refactor the service.\n\nPerformance\n\nIt must answer in 50 ms.\n\nSecurity\n\nNever log tokens.",
];

fn pastes() -> impl Iterator<Item = &'static str> {
    PASTES.into_iter().chain(SET)
}

#[test]
fn a_document_without_a_frame_states_no_requirement() {
    let missed: Vec<&str> =
        pastes().filter(|text| typed_units(text).iter().any(|unit| unit.to_lowercase().contains("quokka"))).collect();
    assert!(missed.is_empty(), "{} of {}: {missed:#?}", missed.len(), pastes().count());
}

#[test]
fn what_is_asked_beside_a_document_is_typed() {
    for text in pastes().filter(|text| !text.starts_with("my boss") && !text.starts_with("Das hat")) {
        assert!(!typed_units(text).is_empty(), "{text}");
    }
    for (text, asked) in
        [(4, "Make the intro shorter"), (15, "Draft a short reply"), (21, "Translate into"), (31, "What is missing")]
    {
        let units = typed_units(PASTES[text]);
        assert!(units.iter().any(|unit| unit.starts_with(asked)), "{units:?}");
    }
}

#[test]
fn paragraphs_of_a_persons_own_stay_theirs() {
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    let without_code = |text: &str| text.replace("```js\nconst a = 1;\n```\n", "");
    let lost: Vec<(&str, String)> = OWN
        .into_iter()
        .filter(|text| squeezed(&typed(text)) != squeezed(&without_code(text)))
        .map(|text| (text, typed(text)))
        .collect();
    assert!(lost.is_empty(), "{} of {}: {lost:#?}", lost.len(), OWN.len());
}

/// Texts of a file, with a line of two percent signs between them.
fn texts(all: &str) -> Vec<&str> {
    all.split("\n%%\n").map(str::trim).collect()
}

/// What was written once the rules stood, to measure them: `cargo test --test rust pastes -- --nocapture` prints both errors.
#[test]
fn of_messages_that_no_rule_was_made_for_no_own_paragraph_is_lost_and_most_pastes_are_known() {
    const MOST_MISSED: usize = 19;
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    let own = texts(include_str!("pastes/typed.txt"));
    let lost: Vec<&&str> = own.iter().filter(|text| squeezed(&typed(text)) != squeezed(text)).collect();
    let pasted = texts(include_str!("pastes/pasted.txt"));
    let leaks = |text: &&&str| typed_units(text).iter().any(|unit| unit.to_lowercase().contains("quokka"));
    let missed: Vec<&&str> = pasted.iter().filter(leaks).collect();
    println!(
        "{} of {} own messages lost a paragraph, {} of {} pastes were missed",
        lost.len(),
        own.len(),
        missed.len(),
        pasted.len()
    );
    assert!(lost.is_empty(), "{lost:#?}");
    assert!(missed.len() <= MOST_MISSED, "{missed:#?}");
}

proptest! {
    #[test]
    fn what_is_typed_comes_before_what_is_pasted_below_it_however_lines_end(at in 0..PASTES.len() + SET.len(), end in 0..4_usize) {
        let end = ["\r\n", "\r", "\u{2028}", "\n"][end];
        let text = pastes().nth(at).unwrap().replace('\n', end);
        prop_assert!(!typed_units(&text).iter().any(|unit| unit.to_lowercase().contains("quokka")), "{text:?}");
    }
}
