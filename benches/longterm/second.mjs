// A second script, of other things and other languages than the first: it is looked at as a figure, and nothing is tuned
// on it. The format is that of the first; where a thing changes twice, `{u}` is its first value.
import { things } from "./things.mjs";

/** Things that stay as they were said, by kind. */
export const STANDING = things(`
requirement:

2 | 4 | 8
Indent with {v} spaces. | {v} spaces for each indent, no tabs | I want an indent of {v} spaces.
indent & {v}

euro | centesimi | franchi
Gli importi vanno sempre mostrati in {v}. | Importi: solo in {v}, per favore | Voglio vedere gli importi in {v}
importi & {v}

polsku | czesku | litewsku
Komunikaty dla użytkownika mają być po {v}. | Wszystkie komunikaty piszemy po {v} | Pisz komunikaty po {v}, nie po angielsku.
komunikat & {v}

logfmt | NDJSON | GELF
로그는 {v} 형식으로 남겨 주세요. | 로그 형식은 {v}입니다. | 모든 로그를 {v}로 써 주세요
로그 & {v}

moment.js | lodash | jQuery
Não uses {v} neste projeto. | Nada de {v}, por favor. | Neste projeto não entra {v}
não | nada & {v}

Türkçe | İngilizce | Almanca
Yorum satırları {v} olacak. | Yorumları hep {v} yaz | Yorum dili {v} olsun.
yorum & {v}

main | release | hotfix
Nooit rechtstreeks naar {v} pushen. | Niet rechtstreeks pushen naar {v}, ook niet als het haast heeft | Push naar {v} mag niet.
nooit | niet & push & {v}

الفرنسية | الإسبانية | التركية
رسائل الخطأ تكون باللغة {v}. | اكتب رسائل الخطأ باللغة {v} | نريد رسائل الخطأ باللغة {v} فقط.
الخطأ & {v}

документації | інтерфейсі | повідомленнях
Жодних емодзі в {v}. | Емодзі в {v} не потрібні | Не став емодзі в {v}.
емодзі & {v}

sesame | cashews | shellfish
My son is allergic to {v}. | Careful with {v}: my son is allergic. | My son has an allergy, no {v} ever
allerg & {v}

Laktose | Gluten | Fruktose
Meine Tochter verträgt keine {v}. | Meine Tochter darf keine {v} essen | Bei {v} geht es meiner Tochter schlecht.
Tochter & {v}

UTC+7 | UTC+9 | UTC+3
Giờ họp luôn ghi theo múi giờ {v}. | Múi giờ của cuộc họp là {v} | Khi ghi giờ họp hãy dùng {v}.
giờ & {v}

อาทิตย์ | เสาร์ | พุธ
ห้ามส่งอีเมลหาลูกค้าวัน{v} | วัน{v}ห้ามส่งอีเมลหาลูกค้านะ | อีเมลถึงลูกค้าอย่าส่งวัน{v}
อีเมล & {v}

decision:

Vega | Plotly | Bokeh
We draw the charts with {v}, D3 is too much work. | Charts: {v}, not D3 | The charts are going to be {v}.
{v} & chart

Hetzner | Scaleway | OVH
El alojamiento lo contratamos con {v}, no con Azure. | Nos quedamos con {v} para el alojamiento. | Alojamiento: {v}, decidido
{v} & alojamiento

Mollie | Adyen | Nexi
Per i pagamenti abbiamo scelto {v}. | I pagamenti li facciamo con {v} | Alla fine pagamenti con {v}.
{v} & pagamenti

fact:

#7#4 | #1#9
The door code of the lab is {v}. | To get into the lab you type {v} at the door | {v} opens the lab door.
{v} & lab

UM/##/@ | ZL/##/@
Numer umowy to {v}. | Umowa ma numer {v} | Nasza umowa: {v}
{v} & umow

/mnt/copia-## | /dados/copia-##
As cópias de segurança ficam em {v}. | Guarda as cópias em {v} | Procura as cópias de segurança em {v}.
{v} & cópias

qa-#### | dev-####
테스트 계정은 {v}입니다. | 테스트할 때는 {v} 계정을 쓰세요. | {v} 계정으로 테스트합니다
{v} & 계정

45#0 | 72#0
मासिक सीमा {v} रुपये है। | हर महीने की सीमा {v} रुपये | सीमा: {v} रुपये से ज़्यादा नहीं
{v} & सीमा

mevrouw Terpstra | meneer Okkerse | mevrouw Wiersma
De sleutel ligt bij {v}. | Voor de sleutel moet je bij {v} zijn | {v} heeft de sleutel.
sleutel & {v}

name:

Dilnoza Karimova | Efosa Igbinedion | Maren Sollid
I'm {v}, on call this week. | On call is {v}, that's me | This is {v}, I am on call.
{v} & on call

Kuusamon Kaluste | Pielisen Paja | Saimaan Silta
Asiakkaan nimi on {v}. | Asiakas on {v} | Uusi asiakas: {v}
{v} & asiak
`);

/** Things that are said again later, some of them twice. */
export const CHANGED = things(`
May 6 | June 17 | July 8 | August 12
We release on {u}. | The release is on {u}
The release moves to {w}. | Release on {w} instead
It slips again, the release is on {v}. | Release {v}, final. | Make the release {v}
release & {v}
release & {w} | {u}

250 | 300 | 450 | 600
Limit zamówienia wynosi {w} zł. | Zamówienia do {w} zł, taki jest limit
Podnieśli limit zamówienia do {v} zł. | Limit to teraz {v} zł | Jednak limit {v} zł.
limit & {v}
limit & {w}

18 | 20 | 22 | 24
We target Node {w}. | It has to run on Node {w}
Node {v} then. | Make that Node {v}. | Forget the old one, Node {v} is what we target
Node & {v}
Node & {w}

Chiara Benassi | Ettore Salis | Noemi Farris
Il referente del cliente è {w}. | Referente: {w}
Il nuovo referente è {v}. | Referente adesso è {v} | Come referente ora c'è {v}
{v}
{w}

서울 | 도쿄 | 프랑크푸르트 | 시드니
배포 지역은 {w}입니다. | {w} 지역에 배포합니다
배포 지역을 {v}로 바꿨어요. | 이제 배포 지역은 {v} | 지역은 {v}로 합시다
지역 & {v}
지역 & {w}

3 | 5 | 7 | 9
O limite de tentativas é {u}. | Até {u} tentativas
Sobe as tentativas para {w}. | Passamos a {w} tentativas
Afinal {v} tentativas. | Ficam {v} tentativas, não mais | Tentativas: {v}
tentativas & {v}
tentativas & {w} | {u}
`);

/** Bans that are lifted later. Neither need stand; a ban may stand only in front of its permission. */
export const LIFTED = things(`
esbuild | vitest | prettier
Don't upgrade {v}. | {v} stays at its version, no upgrade
Upgrading {v} is fine now. | You may upgrade {v}.
upgrad & fine | may & {v}
{v} & don't | no upgrade

taryfa.csv | stawki.xlsx
Nie ruszaj pliku {v}. | Plik {v} ma zostać bez zmian
Plik {v} możesz już zmieniać. | Już wolno zmieniać {v}.
możesz | wolno & {v}
{v} & nie ruszaj | bez zmian

Lindqvist | Aaltonen
Mail {v} niet meer. | Geen mails meer naar {v}
Je mag {v} weer mailen. | {v} mailen mag weer
mag & weer & {v}
{v} & niet meer | geen mails
`);
