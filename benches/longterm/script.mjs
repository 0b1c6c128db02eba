// What a user says in a long session, in words that differ from seed to seed. `{v}` is a value, `{w}` the one before it:
// # is a digit, @ a capital letter. Of each list of sentences one is said. `keep`: what must stand together on one line of
// the view; a list is a choice.

/** Things that stay as they were said. */
export const STANDING = [
  {
    kind: "requirement",
    values: ["present tense", "past tense", "imperative"],
    says: [
      "Write the test names in the {v}.",
      "Test names: please use the {v}.",
      "I want the names of tests in the {v}",
    ],
    keep: ["{v}", "test"],
  },
  {
    kind: "requirement",
    values: ["96", "104", "88", "112"],
    says: [
      "Keep lines below {v} characters.",
      "Lines should not get longer than {v} characters.",
      "A line has at most {v} characters, please",
    ],
    keep: ["line", "{v}"],
  },
  {
    kind: "requirement",
    values: ["Canadian French", "Swiss German", "Brazilian Portuguese"],
    says: ["Labels have to be in {v}.", "All labels are written in {v}.", "Use {v} for the labels"],
    keep: ["label", "{v}"],
  },
  {
    kind: "requirement",
    values: ["3", "5", "7"],
    says: ["The retry limit has to be {v}.", "Set the retry limit to {v}.", "Make {v} the retry limit everywhere"],
    keep: ["retry limit", "{v}"],
  },
  {
    kind: "requirement",
    values: ["English", "Norwegian", "Catalan"],
    says: [
      "From today on commit messages are in {v}.",
      "Please write commit messages in {v}.",
      "Commit messages: only {v}",
    ],
    keep: ["commit message", "{v}"],
  },
  {
    kind: "requirement",
    values: ["Fehlercode", "Zeitstempel", "Mandanten"],
    says: [
      "Fehlermeldungen müssen den {v} enthalten.",
      "In jede Fehlermeldung gehört der {v}.",
      "Fehlermeldungen bitte immer mit {v}",
    ],
    keep: ["Fehlermeldung", "{v}"],
  },
  {
    kind: "requirement",
    values: ["ISO 8601", "RFC 2822", "JJ/MM/AAAA"],
    says: ["Les dates doivent être au format {v}.", "Pour les dates, on utilise {v}.", "Écris toutes les dates en {v}"],
    keep: ["date", "{v}"],
  },
  {
    kind: "requirement",
    values: ["minúsculas", "mayúsculas"],
    says: [
      "Los mensajes de registro tienen que estar en {v}.",
      "El registro siempre en {v}.",
      "Escribe los mensajes del registro en {v}",
    ],
    keep: ["registro", "{v}"],
  },
  {
    kind: "requirement",
    values: ["繁体中文", "简体中文"],
    says: ["注释要用{v}写。", "代码里的注释都用{v}。", "写注释的时候请用{v}"],
    keep: ["注释", "{v}"],
  },
  {
    kind: "requirement",
    values: ["ローマ字", "英単語"],
    says: ["変数名は{v}にしてください。", "変数名には{v}を使います。", "変数名、必ず{v}で"],
    keep: ["変数名", "{v}"],
  },
  {
    kind: "requirement",
    values: ["Fridays", "Mondays", "weekends"],
    says: ["Never deploy on {v}", "We don't deploy on {v}.", "No deploys on {v}, whatever happens"],
    keep: [["never", "don't", "no ", "not"], "deploy", "{v}"],
  },
  {
    kind: "requirement",
    values: ["archives_20##", "journal_20##", "paie_20##"],
    says: [
      "Ne supprime jamais la table {v}.",
      "La table {v}, on ne la supprime pas.",
      "Surtout ne touche pas à la table {v}",
    ],
    keep: [["jamais", "ne la supprime pas", "ne touche pas"], "{v}"],
  },
  {
    kind: "requirement",
    values: ["ключи-##.pem", "список-##.csv"],
    says: ["Никогда не перезаписывай файл {v}.", "Файл {v} перезаписывать нельзя.", "Не трогай файл {v}, он один"],
    keep: [["никогда", "нельзя", "не трогай"], "{v}"],
  },
  {
    kind: "decision",
    values: ["Postgres", "SQLite", "MariaDB"],
    says: [
      "We agreed to use {v} instead of Oracle because of the licences.",
      "{v} it is, not Oracle: the licences cost too much.",
      "Decided: {v} rather than Oracle",
    ],
    keep: ["{v}", "Oracle"],
  },
  {
    kind: "decision",
    values: ["NATS", "Redis", "Kafka"],
    says: [
      "Wir haben uns entschieden, die Warteschlange mit {v} statt mit RabbitMQ zu bauen.",
      "Die Warteschlange bauen wir mit {v}, nicht mit RabbitMQ.",
      "Für die Warteschlange nehmen wir {v}",
    ],
    keep: ["{v}", ["RabbitMQ", "Warteschlange"]],
  },
  {
    kind: "decision",
    values: ["mTLS", "SAML", "Kerberos"],
    says: [
      "認証は OAuth ではなく {v} に決めました。",
      "認証については {v} を採用します。",
      "認証は {v} でいきましょう",
    ],
    keep: ["{v}", ["認証", "OAuth"]],
  },
  {
    kind: "fact",
    values: ["54##", "63##", "91##"],
    says: [
      "The staging database listens on port {v}",
      "Staging's database has port {v}.",
      "You reach the staging database at port {v}",
    ],
    keep: ["{v}", ["port", "staging"]],
  },
  {
    kind: "fact",
    values: ["K#QZ@M", "B#XT@W", "H#RV@D"],
    says: ["Our customer number is {v}", "We are customer {v} there.", "Customer number, if they ask: {v}"],
    keep: ["{v}", "customer"],
  },
  {
    kind: "fact",
    values: ["/srv/keys/mess-##.pub", "/etc/station/mess-##.key"],
    says: [
      "Der Schlüssel der Messstation liegt unter {v}.",
      "Unter {v} findest du den Schlüssel der Messstation.",
      "Schlüssel der Messstation: {v}",
    ],
    keep: ["{v}", "Schlüssel"],
  },
  {
    kind: "fact",
    values: ["43#0", "57#0", "81#0"],
    says: ["Le budget mensuel est de {v} euros.", "On a {v} euros de budget par mois.", "Budget : {v} euros, pas plus"],
    keep: ["budget", "{v}"],
  },
  {
    kind: "fact",
    values: ["kaede-##", "momiji-##", "sugi-##"],
    says: ["本番サーバーの名前は {v} です。", "本番は {v} というサーバーです。", "サーバー {v} が本番用です"],
    keep: ["{v}", "本番"],
  },
  {
    kind: "name",
    values: ["Oluwaseun Adeyemi", "Ngaire Whetu", "Tadeusz Brzoza"],
    says: [
      "My name is {v} and I review the releases.",
      "I'm {v}, by the way; releases go through me.",
      "{v} here, I'm the one who reviews releases",
    ],
    keep: ["{v}", "release"],
  },
  {
    kind: "name",
    values: ["Halcyon Ridge", "Copper Lantern", "Quiet Harbour"],
    says: ["The project is called {v}.", "We call this project {v}.", "Its name, the project's, is {v}"],
    keep: ["{v}", "project"],
  },
  {
    kind: "name",
    values: ["TaxKolibri", "NalogSova", "SborDrozd"],
    says: [
      "Класс для расчёта налогов называется {v}.",
      "Налоги считает класс {v}.",
      "{v} — это класс, который считает налоги",
    ],
    keep: ["{v}", "класс"],
  },
  {
    kind: "name",
    values: ["青禾科技", "云杉贸易", "海棠医疗"],
    says: ["新的客户叫{v}。", "我们有了新客户：{v}。", "客户{v}是新来的"],
    keep: ["{v}", "客户"],
  },
];

/** Things that are said again later, with another value. The old one may stand only in front of the new one. */
export const CHANGED = [
  {
    values: ["3.10", "3.11", "3.12", "3.13"],
    before: ["The project runs on Python {w}.", "We are on Python {w} here."],
    says: ["We switched to Python {v}", "Python is at {v} since this morning.", "Use Python {v} from here on"],
    keep: ["Python", "{v}"],
    stale: ["Python", "{w}"],
  },
  {
    values: ["billing-core", "ledger-api", "invoice-hub"],
    before: ["The service is called {w}.", "Name of the service: {w}"],
    says: ["The service is called {v} now", "We renamed the service, it is {v}.", "{v} is the new name of the service"],
    keep: ["{v}"],
    stale: ["{w}"],
  },
  {
    values: ["10.20.30.##", "10.77.5.##", "172.16.9.##"],
    before: ["Der Testserver hat die Adresse {w}.", "Du erreichst den Testserver unter {w}."],
    says: [
      "Der Testserver hat jetzt die Adresse {v}.",
      "Testserver ist umgezogen auf {v}",
      "Nimm für den Testserver ab sofort {v}.",
    ],
    keep: ["Testserver", "{v}"],
    stale: ["Testserver", "{w}"],
  },
  {
    values: ["45", "60", "90", "120"],
    before: ["Le délai d'attente doit être de {w} secondes.", "Mets {w} secondes comme délai d'attente."],
    says: [
      "Finalement, le délai d'attente doit être de {v} secondes.",
      "Délai d'attente : {v} secondes, j'ai changé d'avis",
      "Plutôt {v} secondes pour le délai d'attente.",
    ],
    keep: ["délai", "{v} s"],
    stale: ["délai", "{w} s"],
  },
  {
    values: ["3月18日", "4月9日", "5月27日"],
    before: ["截止日期是{w}。", "最晚{w}交，这是截止日期。"],
    says: ["截止日期改到{v}了。", "客户同意了，截止日期是{v}。", "新的截止日期：{v}"],
    keep: ["截止日期", "{v}"],
    stale: ["截止日期", "{w}"],
  },
];

/** Bans that are lifted later. Neither need stand; a ban may stand only in front of its permission. */
export const LIFTED = [
  {
    values: ["config.yml", "routes.toml"],
    before: ["Du darfst die Datei {v} nicht ändern", "Finger weg von der Datei {v}."],
    says: ["You may edit {v} after all.", "Editing {v} is fine from now on."],
    keep: [["may edit", "editing"], "{v}"],
    stale: ["{v}", ["nicht ändern", "finger weg"]],
  },
  {
    values: ["integration tests", "load tests"],
    before: ["Do not run the {v}.", "Leave the {v} alone, they break staging."],
    says: ["You can run the {v} again.", "The {v} may run again."],
    keep: [["can run", "may run"], "{v}"],
    stale: ["{v}", ["do not run", "leave the"]],
  },
  {
    values: ["legacy_reports", "facturas_viejas"],
    before: ["No toques la carpeta {v}.", "La carpeta {v} se queda como está."],
    says: ["Ya puedes cambiar la carpeta {v}.", "Con la carpeta {v} haz lo que necesites."],
    keep: [["puedes cambiar", "haz lo que"], "{v}"],
    stale: ["{v}", ["no toques", "se queda"]],
  },
];
