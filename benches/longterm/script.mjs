// What a user says in a long session, in words that differ from seed to seed: benches/longterm/things.mjs has the format.
import { things } from "./things.mjs";

/** Things that stay as they were said, by kind. */
export const STANDING = things(`
requirement:

present tense | past tense | imperative
Write the test names in the {v}. | Test names: please use the {v}. | I want the names of tests in the {v}
{v} & test

96 | 104 | 88 | 112
Keep lines below {v} characters. | Lines should not get longer than {v} characters. | A line has at most {v} characters, please
line & {v}

Canadian French | Swiss German | Brazilian Portuguese
Labels have to be in {v}. | All labels are written in {v}. | Use {v} for the labels
label & {v}

3 | 5 | 7
The retry limit has to be {v}. | Set the retry limit to {v}. | Make {v} the retry limit everywhere
retry limit & {v}

English | Norwegian | Catalan
From today on commit messages are in {v}. | Please write commit messages in {v}. | Commit messages: only {v}
commit message & {v}

Fehlercode | Zeitstempel | Mandanten
Fehlermeldungen müssen den {v} enthalten. | In jede Fehlermeldung gehört der {v}. | Fehlermeldungen bitte immer mit {v}
Fehlermeldung & {v}

ISO 8601 | RFC 2822 | JJ/MM/AAAA
Les dates doivent être au format {v}. | Pour les dates, on utilise {v}. | Écris toutes les dates en {v}
date & {v}

minúsculas | mayúsculas
Los mensajes de registro tienen que estar en {v}. | El registro siempre en {v}. | Escribe los mensajes del registro en {v}
registro & {v}

繁体中文 | 简体中文
注释要用{v}写。 | 代码里的注释都用{v}。 | 写注释的时候请用{v}
注释 & {v}

ローマ字 | 英単語
変数名は{v}にしてください。 | 変数名には{v}を使います。 | 変数名、必ず{v}で
変数名 & {v}

Fridays | Mondays | weekends
Never deploy on {v} | We don't deploy on {v}. | No deploys on {v}, whatever happens
never | don't | no deploy | not & deploy & {v}

archives_20## | journal_20## | paie_20##
Ne supprime jamais la table {v}. | La table {v}, on ne la supprime pas. | Surtout ne touche pas à la table {v}
jamais | ne la supprime pas | ne touche pas & {v}

ключи-##.pem | список-##.csv
Никогда не перезаписывай файл {v}. | Файл {v} перезаписывать нельзя. | Не трогай файл {v}, он один
никогда | нельзя | не трогай & {v}

decision:

Postgres | SQLite | MariaDB
We agreed to use {v} instead of Oracle because of the licences. | {v} it is, not Oracle: the licences cost too much. | Decided: {v} rather than Oracle
{v} & Oracle

NATS | Redis | Kafka
Wir haben uns entschieden, die Warteschlange mit {v} statt mit RabbitMQ zu bauen. | Die Warteschlange bauen wir mit {v}, nicht mit RabbitMQ. | Für die Warteschlange nehmen wir {v}
{v} & RabbitMQ | Warteschlange

mTLS | SAML | Kerberos
認証は OAuth ではなく {v} に決めました。 | 認証については {v} を採用します。 | 認証は {v} でいきましょう
{v} & 認証 | OAuth

fact:

54## | 63## | 91##
The staging database listens on port {v} | Staging's database has port {v}. | You reach the staging database at port {v}
{v} & port | staging

K#QZ@M | B#XT@W | H#RV@D
Our customer number is {v} | We are customer {v} there. | Customer number, if they ask: {v}
{v} & customer

/srv/keys/mess-##.pub | /etc/station/mess-##.key
Der Schlüssel der Messstation liegt unter {v}. | Unter {v} findest du den Schlüssel der Messstation. | Schlüssel der Messstation: {v}
{v} & Schlüssel

43#0 | 57#0 | 81#0
Le budget mensuel est de {v} euros. | On a {v} euros de budget par mois. | Budget : {v} euros, pas plus
budget & {v}

kaede-## | momiji-## | sugi-##
本番サーバーの名前は {v} です。 | 本番は {v} というサーバーです。 | サーバー {v} が本番用です
{v} & 本番

name:

Oluwaseun Adeyemi | Ngaire Whetu | Tadeusz Brzoza
My name is {v} and I review the releases. | I'm {v}, by the way; releases go through me. | {v} here, I'm the one who reviews releases
{v} & release

Halcyon Ridge | Copper Lantern | Quiet Harbour
The project is called {v}. | We call this project {v}. | Its name, the project's, is {v}
{v} & project

TaxKolibri | NalogSova | SborDrozd
Класс для расчёта налогов называется {v}. | Налоги считает класс {v}. | {v} — это класс, который считает налоги
{v} & класс

青禾科技 | 云杉贸易 | 海棠医疗
新的客户叫{v}。 | 我们有了新客户：{v}。 | 客户{v}是新来的
{v} & 客户
`);

/** Things that are said again later, with another value. The old one may stand only in front of the new one. */
export const CHANGED = things(`
3.10 | 3.11 | 3.12 | 3.13
The project runs on Python {w}. | We are on Python {w} here.
We switched to Python {v} | Python is at {v} since this morning. | Use Python {v} from here on
Python & {v}
Python & {w}

billing-core | ledger-api | invoice-hub
The service is called {w}. | Name of the service: {w}
The service is called {v} now | We renamed the service, it is {v}. | {v} is the new name of the service
{v}
{w}

10.20.30.## | 10.77.5.## | 172.16.9.##
Der Testserver hat die Adresse {w}. | Du erreichst den Testserver unter {w}.
Der Testserver hat jetzt die Adresse {v}. | Testserver ist umgezogen auf {v} | Nimm für den Testserver ab sofort {v}.
Testserver & {v}
Testserver & {w}

45 | 60 | 90 | 120
Le délai d'attente doit être de {w} secondes. | Mets {w} secondes comme délai d'attente.
Finalement, le délai d'attente doit être de {v} secondes. | Délai d'attente : {v} secondes, j'ai changé d'avis | Plutôt {v} secondes pour le délai d'attente.
délai & {v} s
délai & {w} s

3月18日 | 4月9日 | 5月27日
截止日期是{w}。 | 最晚{w}交，这是截止日期。
截止日期改到{v}了。 | 客户同意了，截止日期是{v}。 | 新的截止日期：{v}
截止日期 & {v}
截止日期 & {w}
`);

/** Bans that are lifted later. Neither need stand; a ban may stand only in front of its permission. */
export const LIFTED = things(`
config.yml | routes.toml
Du darfst die Datei {v} nicht ändern | Finger weg von der Datei {v}.
You may edit {v} after all. | Editing {v} is fine from now on.
may edit | editing & {v}
{v} & nicht ändern | finger weg

integration tests | load tests
Do not run the {v}. | Leave the {v} alone, they break staging.
You can run the {v} again. | The {v} may run again.
can run | may run & {v}
{v} & do not run | leave the

legacy_reports | facturas_viejas
No toques la carpeta {v}. | La carpeta {v} se queda como está.
Ya puedes cambiar la carpeta {v}. | Con la carpeta {v} haz lo que necesites.
puedes cambiar | haz lo que & {v}
{v} & no toques | se queda
`);
