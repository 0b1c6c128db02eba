//! Classifies a sentence that a person typed: a requirement (a lasting rule, a bound, a wish for how things are to be),
//! a decision, or neither. In the languages people write to us, by frequent words alone; questions are none, and neither
//! are lines of logs, code and tables.

use crate::base::distinct::with_letter;
use crate::base::id_map::IdMap;
use crate::base::text::{self, lower};
use crate::memory::sentences;
use core::ops::Range;

/// Demands something wherever it stands in a sentence, in languages that part words: en, de, fr, es, it, pt, nl, pl, tr,
/// ru, ar, he, hi. A bar ends each.
const DEMANDS: &str = "must|mustn't|has to|have to be|have to|had better|has got to|needs to|need to be|should|shouldn't|shall|are required|required to|forbidden|off limits|not allowed|aren't allowed|isn't allowed|make sure|ensure|at least|at most|at the latest|no more than|not more than|no later than|no less than|not before|not after|no longer than|from now on|from today|as of today|from this point|going forward|up to the user|don't ever|do not|please don't|please keep|please use|please only|under no circumstances|stick to|stick with|only use|use only|it is important|without changing|without touching|without breaking|i prefer|i'd prefer|i would prefer|i'd rather|i would rather|i would only|i'd only|i only want|i only need|we prefer|i'd want|my budget is|my limit is|my maximum|exactly one|is mandatory|are mandatory|is not acceptable|muss|müssen|dürfen|sollte|sollten|soll|sollen|höchstens|mindestens|spätestens|maximal|ab heute|ab jetzt|ab sofort|von nun an|von jetzt an|auf keinen fall|bitte nur|bitte nicht|bitte keine|niemals|lieber|doit|doivent|devra|devront|il faut|il ne faut|ne faut|à partir de|désormais|dorénavant|au plus|au maximum|au moins|au plus tard|interdit|obligatoire|ne jamais|toujours en|toujours au|toujours avec|je préfère|de préférence|debe|deben|tiene que|tienen que|hay que|a partir de|desde hoy|de ahora en adelante|en adelante|como máximo|al menos|como mínimo|prohibido|obligatorio|siempre con|prefiero|no se puede|no se debe|deve|devono|bisogna|d'ora in poi|da oggi|al massimo|almeno|vietato|obbligatorio|sempre in|sempre con|preferisco|devem|tem que|têm que|tem de|têm de|de agora em diante|a partir de hoje|no máximo|pelo menos|proibido|obrigatório|sempre em|sempre com|prefiro|moet|moeten|mag niet|mogen niet|mag geen|mogen geen|mag alleen|mogen alleen|mag|mogen|vanaf nu|vanaf vandaag|voortaan|maximaal|hoogstens|minstens|ten minste|uiterlijk|verboden|liever|musi|muszą|powinien|powinna|powinno|powinny|należy|trzeba|nie wolno|nie można|nie może|nie mogą|od dziś|od teraz|od dzisiaj|odtąd|co najmniej|co najwyżej|maksymalnie|najpóźniej|wolę|gerekiyor|gerekir|şart|zorunlu|en fazla|en az|en geç|bundan sonra|bugünden itibaren|yasak|должен|должна|должно|должны|нужно|надо|необходимо|следует|нельзя|отныне|с сегодняшнего дня|с этого момента|не более|не менее|не больше|не меньше|не позднее|запрещено|обязательно|обязан|только на|только в|предпочитаю|лучше|يجب|يجب أن|لا يجوز|لا ينبغي|ينبغي|ممنوع|من الآن فصاعدا|من الآن فصاعداً|من اليوم|ابتداء من|ابتداءً من|على الأقل|على الأكثر|كحد أقصى|أفضل|חייב|חייבת|חייבים|חייבות|צריך|צריכה|צריכים|צריכות|אסור|מותר רק|מעכשיו|מהיום|לכל היותר|לפחות|לעולם לא|מעדיף|מעדיפה|चाहिए|आज से|अब से|से अधिक|से ज़्यादा|कम से कम|ज़रूरी|अनिवार्य|केवल|सिर्फ़|मना|return only|only the|with only|with just|just the|one and only one|does not exceed|doesn't exceed|not exceed|as long as|without being|without any|prefer not|would really prefer|may not|must not|goes through me|from here on|let's keep|cannot use|minimize|at no time|haben immer|hat immer|dev'essere|vanno nel|vanno in|vanno nella|va nel|não pode|não podem|horen|hoort|ma mieć|mają mieć|ma być|mają być|не трогай|не трогайте|не меняй|не меняйте|не используй|не используйте|не удаляй|не удаляйте|не длиннее|не короче|не дороже|не дольше|не раньше|не позже|मत|התקציב|solo me|leave out|leave in|per commit|self-contained|can not be|i don't want|i do not want|i really don't want|i don't need any|i don't need travel|nothing else|at a time|i won't need|up to $|just give me|just output|can only|sadece aktarmasız|i don't need";
/// Demands something if a clause begins with it: verbs of how to work, prohibitions, bounds.
const BEGINS: &str = "keep|use|don't use|stick|follow|leave|avoid|refrain|prefer|answer|reply|respond|speak|talk|write|name|format|put|call|limit|cap|restrict|treat|assume|respect|preserve|quote|cite|round|wrap|indent|match|note that|be|stay|don't|do not|dont|no|not|never|always|only|nothing|nobody|every|each|just use|just keep|show only|ask before|ask me|check with|start every|end every|begin every|include|exclude|wait for|verwende|verwendet|verwenden|nutze|nutzen|benutze|benutzen|halte|halten|schreib|schreibe|schreiben|antworte|antworten|bleib|bleibe|lass|lasse|lassen|achte|achten|vermeide|vermeiden|formuliere|nenne|beachte|beachten|nie|nicht|kein|keine|keinen|nur|immer|stets|alle|jede|jeder|jedes|utilise|utilisez|utiliser|garde|gardez|écris|écrivez|réponds|répondez|parle|parlez|évite|évitez|laisse|laissez|respecte|respectez|limite|limitez|nomme|nommez|tutoie|tutoyez|vouvoie|jamais|pas de|pas d'|aucun|aucune|rien|uniquement|seulement|tous les|toutes les|chaque|toujours|ne|n'utilise|n'utilisez|n'oublie|n'oubliez|usa|use|utiliza|utilice|mantén|mantenga|escribe|escriba|responde|responda|habla|deja|deje|respeta|respete|evita|evite|limita|nunca|jamás|no|ningún|ninguna|nada|sólo|solamente|únicamente|todos los|todas las|cada|siempre|utilizza|usate|mantieni|mantenete|scrivi|scrivete|rispondi|rispondete|parla|lascia|rispetta|evitate|limita|mai|nessun|nessuna|niente|soltanto|ogni|tutti i|tutte le|sempre|utilize|mantenha|escreva|responda|fale|deixe|respeite|limite|não|nenhum|nenhuma|somente|apenas|todos os|todas as|sempre|gebruik|houd|hou|schrijf|antwoord|spreek|laat|vermijd|respecteer|beperk|niet|geen|alleen|elke|elk|używaj|używajcie|trzymaj|pisz|piszcie|odpowiadaj|odpowiadajcie|mów|zostaw|unikaj|przestrzegaj|nie|żadnych|żaden|tylko|wyłącznie|każdy|każda|każde|wszystkie|используй|используйте|держи|держите|пиши|пишите|отвечай|отвечайте|говори|говорите|оставь|оставьте|избегай|избегайте|соблюдай|соблюдайте|называй|называйте|не|никаких|никогда|только|каждый|каждая|каждое|все|استخدم|استخدمي|احتفظ|اكتب|أجب|تحدث|اترك|تجنب|التزم|لا|ليس|كل|جميع|השתמש|השתמשי|שמור|שמרי|כתוב|כתבי|ענה|עני|דבר|השאר|הימנע|הקפד|אל|לא|בלי|כל|सभी|हर|ignore|deliver|emit|choose|try|instead|return only|brief|anything that|fass|rühr|contesta|conteste|que los|que las|que el|que la|que los nombres|dammi del|trate|blijf|zwracaj|zwracajcie|תכתוב|תענה|תשתמש|pas plus|asla|her zaman|darf|minimize|report only|one|nigdy|zawsze|altijd|nooit|niemals|всегда|دائما|دائماً|تמיד|תמיד|לעולם|हमेशा|कभी|non usare|non usate|non modificare|non modificate|non toccare|non toccate|non cancellare|non cancellate|non eliminare|non scrivere|non aggiungere|non cambiare|non cambiate|non fare|non fate|non inviare|non includere|non superare|non eseguire|non mettere|non creare|non aprire|non rimuovere|non chiedere|non più di|non oltre|non prima|non dopo|non senza";
/// At the end of a sentence, or of a word in it: languages that append.
const ENDS: &str = "malı|meli|malıdır|melidir|mamalı|memeli|malısın|melisin|mamalısın|memelisin|malısınız|melisiniz|kullan|kullanın|kullanma|kullanmayın|yazın|yaz|yazma|yazmayın|tut|tutun|değiştirme|değiştirmeyin|silme|silmeyin|dokunma|dokunmayın|yapma|yapmayın|verme|vermeyin|bırak|kaçın|gönderme|göndermeyin|cevap ver|cevap verin|yanıt ver|yanıtla|रखें|रखो|रखना|करना|लिखें|लिखो|लिखना|न करें|मत करो|मत करना|ना करें|उत्तर दें|जवाब दें|जवाब दो|मत|only|please only|olsun|gerekiyor";
/// The same in languages that do not part words: zh, ja, ko.
const PARTS: &str = "要用|要写|要以|要保持|不要|不能|不得|不可以|不可|不准|不许|不許|不应|不應|不该|不超过|不超過|不得超过|不多于|不少于|必须|必需|应当|應當|应该|應該|只能|只准|只要|只用|只许|仅限|僅限|仅用|禁止|切勿|请勿|請勿|勿|千万别|别再|別再|从不|從不|永远|永遠|绝不|絕不|绝对|务必|務必|一定要|一律|今后|今後|从今天起|從今天起|从现在起|从现在开始|從現在開始|以后都|以後都|以后请|至少|至多|控制在|统一用|統一用|都用|都要|请用|請用|请使用|使用简体|用中文回|用英文回|最好|必ず|だけに|だけを|のみ|ならない|なりません|絶対に|決して|常に|ようにして|ようにお願い|こととする|しないこと|ないこと|今日から|これから|今後は|以内|以下に|以下で|以上に|までにして|禁止|してはだめ|ダメ|厳守|統一|書いてください|使ってください|保ってください|守ってください|答えてください|返答して|回答してください|にしてください|避けて|마세요|마십시오|말 것|말아|지 마|지마|절대|반드시|오직|금지|안 됩|안 돼|안됩|안돼|여야|되어야|오늘부터|앞으로|이제부터|이하로|이상이|이내로|이내|까지만|만 사용|만 써|사용하세요|사용해 주세요|쓰세요|작성하세요|작성해 주세요|유지하세요|유지해 주세요|지켜 주세요|답하세요|답해 주세요|대답해 주세요|피하세요|피해 주세요|할 것|최대|최소|只改|只坐|只吃|只买|每次提交|までです|でお願いします|がいいです|がいいな|で統一|로 지어|로 부탁|지어 주세요|통일|ないでください|ないで下さい|ないでね|ないで。|ないでほしい|なければなり|なければならない|なければいけ";
/// A wish of the speaker: requires something if a bound, a preference or a negation follows.
const WISHES: &str = "i want|i wanted|i need|i would like|i'd like|i would want|i am looking for|i'm looking for|we want|we need|ich möchte|ich will|ich brauche|ich hätte gern|wir wollen|wir brauchen|je veux|je voudrais|j'aimerais|il me faut|nous voulons|quiero|quisiera|necesito|me gustaría|queremos|voglio|vorrei|mi serve|vogliamo|quero|queria|gostaria|preciso|queremos|ik wil|ik wou|we willen|chcę|chciałbym|chciałabym|chcemy|istiyorum|хочу|хотел бы|хотела бы|хотим|мне нужно|мне нужен|мне нужна|أريد|أرغب|نريد|אני רוצה|אנחנו רוצים|मैं चाहता|मुझे चाहिए|मैं चाहती|i just need|i just want|i really want|du darfst|ihr dürft|sie dürfen|man darf";
/// What makes a wish a requirement.
const BOUNDS: &str = "only|not|no|without|nonstop|direct|cheapest|under|below|less|fewer|more than|instead of|don't|at most|within|strictly|cheaper|lowest|earliest|fastest|rather than|nicht|kein|keine|keinen|nur|ohne|höchstens|unter|pas|sans|seulement|moins|uniquement|no|solo|sólo|sin|menos|non|senza|meno|não|sem|só|apenas|niet|geen|alleen|zonder|nie|bez|tylko|не|только|без|لا|فقط|بدون|לא|רק|בלי|नहीं|सिर्फ़|केवल|first|keep|just|one-way|above";
/// The speaker: what stands right behind is about themselves, not demanded.
const SPEAKERS: &str = "i|ich|je|j'|yo|io|eu|ik|ja|я|أنا|אני|मैं|i'm|i've|i'd|i'll|ben|мне|we'd|mi|me";
/// Of whom something is told, unless a verb says that they must.
const OTHERS: &str = "you|it|they|he|she|that|which|who|we|this|there|we're|they're|elle|il|ils|on|nous|vous|du|sie|er|es|wir|él|ella|ele|ela|lui|lei|hij|zij|we|он|она|они|это|что|мы|o|que|qui|die|der|das|does|did|has|had|have|is|are|was|were|will|would|can|could|team|people|users|someone|everyone|everybody";
/// Verbs that say what others must do.
const MODALS: &str = "must|mustn't|has to|have to|have to be|needs to|need to be|should|shouldn't|shall|had better|muss|müssen|soll|sollen|sollte|sollten|darf|dürfen|doit|doivent|devra|devront|il faut|debe|deben|tiene que|tienen que|deve|devono|devem|tem que|têm que|tem de|têm de|moet|moeten|mag|mogen|musi|muszą|powinien|powinna|powinno|powinny|должен|должна|должно|должны|нужно|надо|следует|يجب|يجب أن|ينبغي|צריך|צריכה|צריכים|צריכות|חייב|חייבת|חייבים|חייבות|चाहिए";
/// What stands behind a verb that asks for one thing once.
const ONCE: &str = "a|an|this|that|it|these|those|the following|ein|eine|einen|mir|das|dies|diese|un|une|moi|ce|cette|ça|una|uno|esto|questo|uma|isto|een|dit|мне|for me|the|again|tous";
/// Verbs of `BEGINS` that ask for one thing as often as for a way of working.
const OFTEN_ONCE: &str = "write|name|put|call|include|show|mark|tag|log|commit|quote|format|support|use|remember|note that|start|match|wrap|round|schreib|schreibe|écris|écrivez|escribe|escriba|scrivi|escreva|schrijf|pisz|пиши|nenne|nomme|اكتب|כתוב|lass|try|one|choose";
/// What stands behind "no" and its kin where nothing is asked.
const REMARKS: &str = "problem|problems|worries|thanks|thank|idea|one|matter|doubt|way|i|it|it's|that|that's|there|we|you|he|she|they|yet|sure|really|bad|too|so|much|wonder|probleem|problème|gracias|es|das|ich|je|ce|c'est|y|yo|è|é|eu|isso|ik|het|dat|to|ma|jest|это|я|bad|hay|tengo|sé|lo|la|ho|lo|tenho|wiem|mam|знаю|hear|luck|reply|response|errors|error|match|matches|such|more|longer|que|fui|non|encore|pas encore|ancora|ainda|todavía|found|quite|mais|mi|but|maar|aber|pero|mas|reservation|other|estive|tive|byłem|byłam|lubiłam|lubiłem|need|can|mind";
/// Negations and others of `BEGINS` before such a remark.
const NOES: &str = "no|not|non|não|nie|nicht|pas|niet|не|لا|לא|ne|nein|nothing|nobody|nada|niente|rien|kein|keine|never|nunca|nigdy|zawsze|always|siempre|sempre|jamais|mai|altijd|nooit|immer";
/// Decisions.
const DECIDES: &str = "we agreed|agreed on|agreed to|agreed that|we decided|i decided|decided to|decided on|decided that|decision is|we settled|settled on|let's go with|lets go with|i'll go with|we'll go with|we will go with|going with|let's use|we'll use|we will use|we are using|we're using|let's stick|we chose|we've chosen|we picked|i choose|wir haben uns|wir nehmen|entschieden|vereinbart|geeinigt|beschlossen|nehmen wir|on a décidé|nous avons décidé|décidé de|on va utiliser|on prend|convenu|nous utilisons|decidimos|hemos decidido|acordamos|acordado|vamos a usar|nos quedamos con|usaremos|abbiamo deciso|deciso di|concordato|useremo|decidimos|combinamos|vamos usar|usaremos|we hebben besloten|besloten|afgesproken|we gebruiken|zdecydowaliśmy|ustaliliśmy|uzgodniliśmy|karar verdik|kararlaştırdık|anlaştık|мы решили|решили|договорились|условились|اتفقنا|قررنا|החלטנו|סיכמנו|हमने तय|तय किया|तय हुआ";
/// Verbs that tell how something is, and of whose it is.
const TELLS: &str = "is|are|was|were|am|i'm|it's|has|have|my|our|listens|runs|lives|works|belongs|starts|ends|means|ist|sind|war|hat|heißt|läuft|liegt|mein|meine|unser|unsere|est|sont|était|s'appelle|mon|ma|notre|está|son|era|mi|nuestro|nuestra|è|sono|mio|mia|nostro|nostra|é|são|meu|minha|nosso|nossa|zijn|heet|mijn|onze|ons|jest|są|mój|moja|nasz|nasza|nazywa się|bizim|benim|это|наш|наша|мой|моя|зовут|называется|هو|هي|اسم|لدينا|הוא|היא|שלנו|שלי|है|हैं|हमारा|मेरा|मेरी|es";
const TELLS_PARTS: &str = "是|我的|我们的|叫|です|である|입니다|이에요|예요|이다|우리";
/// By which a name is told.
const NAMING: &str = " is called | are called | is named |My name is| heißt | heißen |s'appelle | se llama | si chiama | se chama | heet |nazywa się|называется|зовут|叫|名字|名为|名称|名前|という|といい|이름|라고 합니다";
/// In Chinese, Japanese and Korean: a search, and a bound that makes it a requirement.
const WISH_PARTS: &str = "想|要|需要|帮我|幫我|给我|給我|推荐|推薦|找";
const BOUND_PARTS: &str = "以上|以下|以内|左右|价格在|價格在|人均消费是|人均消费在|经济|實惠|实惠|豪华|免费|就行|得有|门票在|票价是|評分|评分是|评分要";
/// Who speaks about themselves there.
const SPEAKER_PARTS: &str = "是最好|只用了|我一直|我得|我必须|我必須|私は|僕は|弟|나는|내가|난 |동생|너는|너도|然后不要|それなら|非常に|彼は|彼らは|彼女は|なかったが|ならなかった|ならないことに気|我觉得|我可能|我没|也许|应该是|应该很|应该会|最好的|最好吃|我建议|我爱|我最喜欢";
/// What makes a sentence no demand, wherever it stands.
const NARRATES: &str = "keep searching|keep looking|keep going|keep trying|there must|there has to|there should|must be a mistake|must have been|should be able|should cover|should have|should be fine|parfois il faut|parfois, il faut|il ne faut pas que je|il faut que je|il faut dire|how should|as always|why not|if not|or not|never mind|not sure|no idea|i don't need help|i don't want to miss|i don't want to lose|talk soon|talk to you soon|talk to you later|why do|why does|why did|why are|why is|should be easy";
/// How a word ends that demands something at the end of a sentence: Turkish.
const ENDINGS: [&str; 12] =
    ["malı", "meli", "malıdır", "melidir", "masın", "mesin", "olsun", "mayın", "meyin", "malısın", "melisin", "sınlar"];
const DECIDES_PARTS: &str = "决定|決定|商定|说好|說好|定下来|约定|採用|采用|就用|することにし|ことになり|に決め|で合意|にしました|하기로|결정|정했|합의";

/// Words by which a permission, a change or a new name is told.
const CUES: &str = "adı|afinal|after all|al final|alla fine|any more|anymore|are allowed|are called|became|brauchst|cambiado|cambiamos|cambiato|chama-se|changed my mind|changé|darfst|do not have to|don't have to|don't need to|drop the|désormais|em vez|en fin de compte|en lugar|en vez|finalement|forget about|forget the|from here on|gewechselt|gewijzigd|geändert|geçtik|hace falta|heet|heißt|hernoemd|i meant|ignore the|in plaats|invece|is allowed|is called|is fine now|is fine too|is fine after all|is okay too|is ok too|is ok now|is okay now|is named|is now|jednak|już nie|já não|make it|make that|meant|migrated|moved to|możecie|możesz|mudamos|mudou|nazywa się|need not|never mind the|new name|nicht mehr|niet meer|no longer|non più|not any longer|não precisa|olarak değişti|oldu|olvida|on second thought|overgestapt|passado|passati a|passou|passé à|passés à|tu peux|plus besoin|plutôt|podéis|potete|pouvez|przesunięto|przeszliśmy|przełożono|puedes|puoi|rename|renamed|renombrado|renomeado|renommé|replaced by|replaced with|rinominato|s'appelle|scrap that|scrap the|se chama|se llama|si chiama|siamo|stattdessen|switch to|switched|these days|turns out|umbenannt|umgestiegen|went down|went up|ya no|yerine|zamiast|zmieniliśmy|à la place|ça me va|ça passe|больше не|вместо|все-таки|всё-таки|изменили|можете|можешь|можно|называется|переименовали|переименован|перешли на|стал|стало|אפשר|במקום|הפך|כבר לא|מותר|נקרא|נקראת|עברנו|עלה|שונה|أصبح|اسمه|اسمها|بدلا|بدلاً|لم يعد|يمكنك|नाम|बजाय|बदल";
/// The same, of words that mean other things as well: a request is not called off by them.
const WEAK_CUES: &str = "again|wieder|de nouveau|à nouveau|de nuevo|otra vez|di nuovo|novamente|de novo|opnieuw|weer|ponownie|znowu|tekrar|снова|опять|actually|adesso|agora|ahora|artık|can now|changed|correction|doch|dürfen|forget|instead|is fine|jetzt|mag|maintenant|mejor|moved|now|nu|nun|ora|pode|puede|rather|teraz|toch|updated|wel|you may|you can now|you can also|on you can|şimdi|теперь|עכשיו|الآن|अब";
/// Phrases with such a word that report no change.
const STILL: &str = "right now|for now|just now|by now|now that|again and again|once again";
const CUE_PARTS: &str = "改到|改在|推迟|提前到|调整|变成|变为|変わり|바뀌|现在|現在|不再|改成|改为|改為|改用|换成|換成|换到|改叫|叫做|改名|可以了|还是可以|不用再|不必|今は|もう|代わりに|変更|変えて|切り替え|移行|改名|という名前|呼び|てもいい|ても構|て構いません|てよい|ことにした|이제|더 이상|대신|바꿨|변경|이름은|이름이|라고 부|해도 됩|해도 돼|도 괜찮|전환";

const DEMAND: u64 = 1;
const BEGIN: u64 = 2;
const END: u64 = 4;
const WISH: u64 = 8;
const BOUND: u64 = 16;
const SPEAKER: u64 = 32;
const OTHER: u64 = 8_192;
const MODAL: u64 = 64;
const ONE: u64 = 128;
const OFTEN: u64 = 256;
const REMARK: u64 = 512;
const NO: u64 = 1_024;
const DECIDE: u64 = 2_048;
const NARRATE: u64 = 16_384;
const TELL: u64 = 32_768;
const CUE: u64 = 65_536;
const WEAK: u64 = 131_072;
const PREPARE: u64 = 262_144;
const AGREE: u64 = 524_288;
const NO_CHANGE: u64 = 1_048_576;
/// More words may follow.
const MORE: u64 = 4_096;

const LISTS: [(u64, &str); 18] = [
    (DEMAND, DEMANDS),
    (BEGIN, BEGINS),
    (END, ENDS),
    (WISH, WISHES),
    (BOUND, BOUNDS),
    (SPEAKER, SPEAKERS),
    (OTHER, OTHERS),
    (MODAL, MODALS),
    (ONE, ONCE),
    (OFTEN, OFTEN_ONCE),
    (REMARK, REMARKS),
    (NO, NOES),
    (DECIDE, DECIDES),
    (NARRATE, NARRATES),
    (TELL, TELLS),
    (CUE, CUES),
    (WEAK, WEAK_CUES),
    (NO_CHANGE, STILL),
];

/// Words before an imperative that leave it one.
const BEFORE: &str = " please and but also so then now ok okay yes well oh hey just again bitte und aber also auch dann s'il te plaît et mais por favor y pero per favore e ma alsjeblieft en maar proszę ale lütfen пожалуйста и а но من فضلك و בבקשה ו कृपया और ";

/// How a sentence begins that agrees to what was asked.
const YES: &str = "Yes|yes|Yeah|yeah|Sure|sure|Ja|ja|Oui|oui|Sí|sí|Sì|sì|Sim|sim|Tak|tak|Evet|evet|Да|да|نعم|כן|हाँ";

/// How a message begins that calls off what was asked before.
const CANCELS: &str = "stop|cancel that|cancel it|never mind|nevermind|forget |abbr|stopp|vergiss|annule|arrête|oublie|cancela|olvida|annulla|dimentica|lascia perdere|cancele|esqueça|laat maar|отмен|забудь|стоп|取消|算了|停|不用了|キャンセル|やめて|中止|취소|그만|إلغاء|ألغ|توقف";

/// A shorter one ("No worries!") says nothing by itself; a longer one was not typed as one.
const SHORTEST: usize = 8;
const LONGEST: usize = 400;
/// Words of a sentence that are looked at.
const WORDS: usize = 80;

/// What a sentence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sentence {
    /// It requires something.
    Requires,
    /// It tells what was decided.
    Decides,
    /// It tells how something is.
    Tells,
    /// None of these.
    Other,
}

/// Whether a sentence reports a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cue {
    /// It does not.
    None,
    /// By a word that means other things as well.
    Weak,
    /// It does.
    Strong,
}

/// What is known of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// What it is.
    pub kind: Sentence,
    /// Whether it reports a change.
    pub cue: Cue,
    /// The speaker wishes or chooses something for themselves, or agrees to what they were asked.
    pub personal: bool,
}

impl Reading {
    const NOTHING: Self = Self { kind: Sentence::Other, cue: Cue::None, personal: false };
}

/// Which of the lists hold a word or phrase: to be made once for many texts.
#[derive(Clone, Debug)]
pub struct Words {
    /// The lists that hold what has a hash.
    lists: IdMap,
    /// The words of the sentence that is read, with the hash of each alone; and what is known of them.
    texts: Vec<(Range<usize>, u64)>,
    words: Vec<Word>,
}

impl Default for Words {
    fn default() -> Self {
        let mut words = Self { lists: IdMap::new(4_000), texts: Vec::new(), words: Vec::new() };
        for (bit, list) in LISTS {
            for phrase in list.split('|') {
                let mut id = 0;
                for char in phrase.chars() {
                    if char == ' ' {
                        words.mark(id, MORE);
                    }
                    id = with_letter(id, char);
                }
                words.mark(id, bit);
            }
        }
        for (bit, list, parts) in [(PREPARE, BEFORE, ' '), (AGREE, YES, '|')] {
            for word in list.split(parts).filter(|word| !word.is_empty()) {
                words.mark(word.chars().fold(0, with_letter), bit);
            }
        }
        words
    }
}

/// A word of a sentence, and which lists hold it or the phrase that begins with it.
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    lists: u64,
    /// Words of the longest phrase that begins here.
    length: usize,
    /// A clause begins here.
    begins: bool,
    /// The sentence begins here.
    first: bool,
}

impl Words {
    fn mark(&mut self, id: u64, bit: u64) {
        let lists = self.lists.get(id).unwrap_or(0);
        self.lists.insert(id, lists | bit);
    }

    /// What a sentence is.
    pub fn tell(&mut self, sentence: &str) -> Sentence {
        self.read(sentence).kind
    }

    /// All that is known of a sentence.
    pub fn read(&mut self, sentence: &str) -> Reading {
        let sentence = sentence.trim();
        if sentence.len() < SHORTEST
            || sentence.len() > LONGEST
            || sentences::asks(sentence)
            || sentences::is_output(sentence)
        {
            return Reading::NOTHING;
        }
        // Letters from U+3000 on.
        if sentence.bytes().any(|byte| byte >= 0xe3) {
            let has = |parts: &str| parts.split('|').any(|part| text::find(sentence, part).is_some());
            let requires = has(PARTS) || has(WISH_PARTS) && has(BOUND_PARTS);
            let kind = match (has(DECIDES_PARTS), requires && !has(SPEAKER_PARTS)) {
                (_, true) => Sentence::Requires,
                (true, _) => Sentence::Decides,
                _ if has(TELLS_PARTS) => Sentence::Tells,
                _ => Sentence::Other,
            };
            let ends_changed = || sentence.trim_end_matches(['。', '！', '!', '.']).ends_with('了');
            let cue = match () {
                () if has(CUE_PARTS) => Cue::Strong,
                () if ends_changed() => Cue::Weak,
                () => Cue::None,
            };
            return Reading { kind, cue, personal: !has(PARTS) && requires };
        }
        self.find_words(sentence);
        let words = &self.words;
        let lists = words.iter().fold(0, |lists, word| lists | word.lists);
        let has = |bit: u64| lists & bit > 0;
        let cue = match () {
            () if has(CUE) => Cue::Strong,
            () if has(WEAK) && !has(NO_CHANGE) => Cue::Weak,
            () => Cue::None,
        };
        let last = sentence.trim_end_matches(|char: char| !char.is_alphanumeric());
        let ends = || last.ends_with(['ı', 'i', 'n', 'r']) && ENDINGS.iter().any(|ending| last.ends_with(ending));
        let kind = match () {
            () if has(DECIDE) => Sentence::Decides,
            () if requires(words) || ends() => Sentence::Requires,
            () if has(TELL) => Sentence::Tells,
            () => Sentence::Other,
        };
        let may_agree = words.first().is_some_and(|first| first.lists & AGREE > 0);
        let agrees = || {
            may_agree && sentence.split([' ', ',']).next().is_some_and(|first| YES.split('|').any(|yes| yes == first))
        };
        let personal = has(WISH) || words.iter().any(|word| word.first && word.lists & SPEAKER > 0) || agrees();
        Reading { kind, cue, personal }
    }

    /// Finds the words of a sentence, and the lists that hold them.
    fn find_words(&mut self, sentence: &str) {
        let Self { lists: known, texts, words } = self;
        texts.clear();
        words.clear();
        let (mut from, mut begins, mut first) = (None, true, true);
        let mut id = 0;
        for (at, char) in sentence.char_indices().chain([(sentence.len(), ' ')]) {
            if is_letter(char) {
                from.get_or_insert(at);
                id = with_letter(id, lower(char));
                continue;
            }
            if let Some(start) = from.take() {
                words.push(Word { begins, first, length: 1, lists: 0 });
                let prepares = (begins || first) && known.get(id).is_some_and(|lists| lists & PREPARE > 0);
                (begins, first) = (begins && prepares, first && prepares);
                texts.push((start..at, id));
                id = 0;
                if words.len() > WORDS {
                    break;
                }
            }
            begins |= matches!(char, ',' | ':' | ';' | '(' | '—' | '–' | '،' | '.' | '!');
        }
        for (at, word) in words.iter_mut().enumerate() {
            let mut id = 0;
            for (next, (place, alone)) in texts.iter().enumerate().skip(at) {
                let text = || text::between(sentence, place.start, place.end);
                id = if next == at { *alone } else { small(with_letter(id, ' '), text()) };
                let lists = known.get(id).unwrap_or(0);
                if lists & !MORE > 0 {
                    word.lists |= lists & !MORE;
                    if lists & !(MORE | PREPARE | AGREE) > 0 {
                        word.length = next + 1 - at;
                    }
                }
                if lists & MORE == 0 {
                    break;
                }
            }
        }
    }
}

/// Whether words in a row require something.
fn requires(words: &[Word]) -> bool {
    if words.iter().any(|word| word.lists & NARRATE > 0) {
        return false;
    }
    // Behind the words of a wish.
    let mut wished = None;
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).map_or(0, |before| words[before].lists);
        let behind = words.get(at + word.length);
        let lists = word.lists;
        if lists & DEMAND > 0 && before & SPEAKER == 0 && (lists & MODAL > 0 || before & OTHER == 0) {
            return true;
        }
        // A bare negation begins a demand only where the sentence begins.
        if lists & BEGIN > 0 && word.begins && (lists & NO == 0 || word.first) {
            let next = behind.map_or(0, |next| next.lists);
            let answers =
                word.length == 1 && lists & NO > 0 && behind.is_none_or(|next| next.begins || next.lists & REMARK > 0);
            if !(answers || lists & OFTEN > 0 && next & ONE > 0) {
                return true;
            }
        }
        let bounds = lists & BOUND > 0 && wished.is_some_and(|behind| at >= behind);
        if lists & END > 0 && at + word.length == words.len() || bounds {
            return true;
        }
        if lists & WISH > 0 {
            wished = wished.or(Some(at + word.length));
        }
    }
    false
}

/// Whether a sentence tells how something is called.
pub(super) fn names_something(sentence: &str) -> bool {
    NAMING.split('|').any(|part| text::find(sentence, part).is_some())
}

/// The hash of a word and another one in small letters.
fn small(word: u64, more: &str) -> u64 {
    more.chars().map(lower).fold(word, with_letter)
}

/// Whether a text calls off what was asked before it.
pub fn cancels(text: &str) -> bool {
    let start: String = text.trim_start().chars().take(24).map(lower).collect();
    CANCELS.split('|').any(|cue| start.starts_with(cue))
}

fn is_letter(char: char) -> bool {
    char.is_ascii_alphanumeric()
        || matches!(char, '\'' | '’')
        || char >= '\u{c0}'
            && !matches!(char, '،' | '؛' | '\u{2000}'..='\u{2bff}' | '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ff20}')
}
