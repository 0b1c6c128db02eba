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

#[test]
fn a_document_without_a_frame_states_no_requirement() {
    let missed: Vec<&str> = PASTES
        .into_iter()
        .filter(|text| typed_units(text).iter().any(|unit| unit.to_lowercase().contains("quokka")))
        .collect();
    assert!(missed.is_empty(), "{} of {}: {missed:#?}", missed.len(), PASTES.len());
}

#[test]
fn what_is_asked_beside_a_document_is_typed() {
    for text in PASTES.into_iter().filter(|text| !text.starts_with("my boss") && !text.starts_with("Das hat")) {
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

proptest! {
    #[test]
    fn what_is_typed_comes_before_what_is_pasted_below_it_however_lines_end(at in 0..PASTES.len(), end in 0..4_usize) {
        let end = ["\r\n", "\r", "\u{2028}", "\n"][end];
        let text = PASTES[at].replace('\n', end);
        prop_assert!(!typed_units(&text).iter().any(|unit| unit.to_lowercase().contains("quokka")), "{text:?}");
    }
}
