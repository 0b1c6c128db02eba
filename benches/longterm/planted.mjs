// What a user says once in a long session, and what of it must stand in the view at its end.
//
// `says`: the message. `keep`: words that must stand together on one line of the view; a list is a choice. `stale`: words
// that must not stand together on a line any more, unless that line also holds one of `unless`, or says that it is past.

/** Things that stay as they were said. */
const STANDING = {
  requirement: [
    { says: "Write tests in the present tense.", keep: ["present tense"] },
    { says: "Keep lines below 100 characters.", keep: ["line", "100 char"] },
    { says: "Labels have to be in Canadian French.", keep: ["label", "Canadian French"] },
    { says: "The retry limit has to be three.", keep: ["retry limit", ["three", "3"]] },
    { says: "From today on commit messages are in English.", keep: ["commit message", "English"] },
    { says: "Fehlermeldungen müssen den Fehlercode enthalten.", keep: ["Fehlermeldung", "Fehlercode"] },
    { says: "Les dates doivent être au format ISO 8601.", keep: ["date", "ISO 8601"] },
    { says: "Los mensajes de registro tienen que estar en minúsculas.", keep: ["registro", "minúsculas"] },
    { says: "注释要用繁体中文写。", keep: ["注释", "繁体中文"] },
    { says: "変数名はローマ字にしてください。", keep: ["変数名", "ローマ字"] },
  ],
  "marked requirement": [
    { says: "Never deploy on Fridays", keep: [["never", "not", "no "], "deploy", "Friday"] },
    { says: "Ne supprime jamais la table archives_2019.", keep: [["jamais", "never"], "archives_2019"] },
    { says: "Никогда не перезаписывай файл ключи.pem.", keep: [["никогда", "не перезаписыв"], "ключи.pem"] },
  ],
  decision: [
    { says: "We agreed to use Postgres instead of MySQL because of the licences.", keep: ["Postgres", "MySQL"] },
    {
      says: "Wir haben uns entschieden, die Warteschlange mit NATS statt mit RabbitMQ zu bauen.",
      keep: ["NATS", ["RabbitMQ", "Warteschlange"]],
    },
    { says: "認証は OAuth ではなく mTLS に決めました。", keep: ["mTLS", ["認証", "OAuth"]] },
  ],
  fact: [
    { says: "The staging database listens on port 5433", keep: ["5433", ["port", "staging"]] },
    { says: "Our customer number is K7QZPM", keep: ["K7QZPM"] },
    {
      says: "Der Schlüssel der Messstation liegt unter /srv/keys/messstation.pub.",
      keep: ["/srv/keys/messstation.pub"],
    },
    { says: "Le budget mensuel est de 4350 euros.", keep: ["budget", ["4350", "4 350"]] },
    { says: "本番サーバーの名前は kaede-07 です。", keep: ["kaede-07"] },
  ],
  name: [
    { says: "My name is Oluwaseun Adeyemi and I review the releases.", keep: ["Oluwaseun Adeyemi"] },
    { says: "The project is called Halcyon Ridge.", keep: ["Halcyon Ridge"] },
    { says: "Класс для расчёта налогов называется TaxKolibri.", keep: ["TaxKolibri"] },
    { says: "新的客户叫青禾科技。", keep: ["青禾科技"] },
  ],
};

/** Things that are said again later: the new value must stand, the old one must not be asserted. */
const CHANGED = [
  {
    before: "The project runs on Python 3.11.",
    says: "We switched to Python 3.13",
    keep: ["Python", "3.13"],
    stale: ["Python", "3.11"],
    unless: ["3.13"],
  },
  {
    before: "The service is called billing-core.",
    says: "The service is called ledger-api now",
    keep: ["ledger-api"],
    stale: ["billing-core"],
    unless: ["ledger-api"],
  },
  {
    before: "Der Testserver hat die Adresse 10.20.30.41.",
    says: "Der Testserver hat jetzt die Adresse 10.20.30.77.",
    keep: ["10.20.30.77"],
    stale: ["10.20.30.41"],
    unless: ["10.20.30.77"],
  },
  {
    before: "Le délai d'attente doit être de 45 secondes.",
    says: "Finalement, le délai d'attente doit être de 90 secondes.",
    keep: ["délai", "90 s"],
    stale: ["délai", "45 s"],
    unless: ["90 s"],
  },
  {
    before: "截止日期是3月18日。",
    says: "截止日期改到4月9日了。",
    keep: ["截止日期", "4月9日"],
    stale: ["截止日期", "3月18日"],
    unless: ["4月9日"],
  },
];

/** Bans that are lifted later. A view that holds neither ban nor permission is right as well, so they are not among the kept. */
const LIFTED = [
  {
    before: "Du darfst die Datei config.yml nicht ändern",
    says: "You may edit config.yml after all.",
    stale: ["config.yml", ["nicht ändern", "not change", "not edit"]],
    unless: ["may edit"],
  },
  {
    before: "Do not run the integration tests.",
    says: "You can run the integration tests again.",
    stale: [["not run", "never run"], "integration test"],
    unless: ["can run"],
  },
  {
    before: "No toques la carpeta legacy_reports.",
    says: "Ya puedes cambiar la carpeta legacy_reports.",
    stale: [["no toques", "not touch"], "legacy_reports"],
    unless: ["puedes cambiar"],
  },
];

/** What says of a line that it is about the past. */
const PAST = /\b(was|were|formerly|no longer|revoked|lifted|withdrawn|replaced|superseded|cancelled|outdated)\b/i;

/** All that must stand at the end. */
export const kept = [
  ...Object.entries(STANDING).flatMap(([kind, things]) => things.map((thing) => ({ kind, ...thing }))),
  ...CHANGED.map((thing) => ({ kind: "changed", ...thing })),
];

/** All that must not be asserted at the end. */
export const revoked = [...CHANGED, ...LIFTED];

/** What the user says, in this order: kinds and languages mixed, what comes later in the last third. */
export const messages = (() => {
  const standing = kept.filter(({ before }) => before === undefined).map(({ says }) => says);
  const first = revoked.map(({ before }) => before);
  const second = revoked.map(({ says }) => says);
  const mixed = standing.map((_, index) => standing[(index * 7) % standing.length]);
  const early = mixed.splice(0, 14);
  return [...alternating(first, early), ...alternating(second, mixed)];
})();

/** Judges the text of a view: what is lost, what is asserted although it was revoked, what is told more than once. */
export function judge(text) {
  const lines = text.toLowerCase().split("\n");
  const says = (words) => lines.filter((line) => words.every((word) => holds(line, word)));
  return {
    lost: kept.filter(({ keep }) => !says(keep).length),
    asserted: revoked.filter(({ stale, unless }) =>
      says(stale).some((line) => !PAST.test(line) && !unless.some((word) => holds(line, word))),
    ),
    duplicates: messages.filter((sentence) => times(text, sentence) > 1),
  };
}

/** Literals of the things that a text happens to hold by itself: they could not be judged by it. */
export function collisions(text) {
  const { lost } = judge(text);
  return kept.filter((thing) => !lost.includes(thing));
}

function holds(line, word) {
  return [word].flat().some((one) => line.includes(one.toLowerCase()));
}

/** How often a sentence stands in a text, whatever ends it. */
function times(text, sentence) {
  return text.split(sentence.replace(/[.。]$/, "")).length - 1;
}

/** Two lists as one, evenly mixed. */
function alternating(some, others) {
  const placed = (list) => list.map((one, index) => ({ one, place: (index + 0.5) / list.length }));
  return [...placed(some), ...placed(others)].sort((a, b) => a.place - b.place).map(({ one }) => one);
}
