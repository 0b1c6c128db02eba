//! Words of scripts that put no blanks between them: what stands between the characters that only join others may be a
//! name, and costs little to show.

use crate::base::text;

/// Characters of the longest stretch that counts.
const LONGEST: usize = 14;

/// What a character belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    Han,
    Katakana,
    Hangul,
}

/// Characters of Chinese that stand in most sentences and in hardly any name: pronouns, particles, prepositions, and the
/// verbs of question and reply.
pub const JOINTS: &str = "的了着过是我你您他她它们这哪谁什么怎样为在有没不无也都就才还再与跟或但而且所以因如果吗呢吧啊呀哦嗯哈很太更最挺比较把被给让叫向往从到去回说讲问答看听吃住玩找想要能可应该需将请谢帮先及等每另只已好客气啥完";
/// Characters that join as often as they stand in names: 会 in 会议中心, 家 in 家常菜, 来 in 东来顺, 新 in 北新桥.
const BOTH: &str =
    "又和会来家里边面下上中个位些点次种条间多少几各后一二两三四五六七八九十新小大时那店正真实老解拿食全车";
/// Measure words, which belong to what a joint begins: 这家, 哪个.
const MEASURES: [char; 9] = ['家', '个', '间', '位', '些', '点', '次', '种', '里'];

/// Words of two characters that everybody knows, sorted: what is made of them alone is no name.
pub const EVERYDAY: [&str; 255] = [
    "一下", "一些", "一共", "一定", "一点", "一番", "一直", "一緒", "一般", "一起", "丈夫", "上午", "下午", "下来",
    "东西", "中午", "主意", "之前", "之后", "之间", "事情", "享受", "人均", "今天", "今度", "今日", "今晚", "介绍",
    "仕事", "代码", "价格", "价钱", "任何", "休息", "位置", "体验", "何か", "使用", "便宜", "信息", "修改", "值得",
    "元気", "免费", "全部", "公司", "公园", "关系", "兴趣", "其中", "其实", "具体", "内容", "决定", "准备", "几个",
    "出发", "出来", "出租", "函数", "分数", "删除", "别人", "别处", "办法", "午餐", "午饭", "友人", "友達", "变量",
    "号码", "合适", "名字", "名称", "告诉", "周围", "周边", "唯一", "問題", "喜欢", "地址", "地方", "地点", "地铁",
    "場合", "处理", "多久", "多分", "多少", "大変", "大学", "大家", "大概", "大约", "女士", "子供", "学习", "学校",
    "孩子", "实现", "家人", "家族", "家里", "宾馆", "尝尝", "工作", "左右", "希望", "干净", "建议", "开始", "开心",
    "开车", "当然", "彼女", "心情", "必须", "忘记", "总共", "情况", "愉快", "意思", "感觉", "愿意", "打算", "打车",
    "抱歉", "推荐", "提供", "搜索", "支持", "收费", "放心", "散步", "数据", "文件", "方便", "方式", "方法", "旁边",
    "旅游", "旅行", "早上", "早餐", "早饭", "时候", "时长", "时间", "明天", "明日", "明晚", "明白", "映画", "昨天",
    "昨日", "時間", "晚上", "晚餐", "晚饭", "景点", "朋友", "服务", "期待", "本当", "机会", "条件", "查查", "查询",
    "步行", "毎日", "测试", "消化", "消费", "添加", "清楚", "溜达", "满意", "满足", "漂亮", "热门", "然后", "版本",
    "特别", "生活", "用户", "用餐", "电影", "电话", "直接", "直达", "知道", "确实", "確認", "票价", "离开", "私達",
    "程序", "突然", "立刻", "符合", "简单", "类型", "系统", "终于", "经常", "结束", "继续", "美食", "老师", "考虑",
    "联系", "肯定", "自分", "自己", "舒服", "营业", "虽然", "觉得", "记下", "记得", "许多", "设施", "评分", "试试",
    "走走", "赶紧", "起来", "趣味", "车站", "转转", "运行", "适合", "选择", "逛逛", "遗憾", "那个", "那家", "那里",
    "酒店", "重新", "错误", "门票", "附近", "非常", "音乐", "音楽", "顺便", "预定", "预订", "餐厅", "餐馆", "饭店",
    "马上", "高兴", "麻烦",
];

/// The script of a letter, if it is one of these. Hiragana joins and ends words.
pub(super) fn script(letter: char) -> Option<Script> {
    match letter {
        '\u{3400}'..='\u{9fff}' | '々' => Some(Script::Han),
        '\u{30a1}'..='\u{30fa}' | 'ー' => Some(Script::Katakana),
        '\u{ac00}'..='\u{d7a3}' => Some(Script::Hangul),
        _ => None,
    }
}

/// Whether a text may hold such words: most hold none.
pub fn is_in(text: &str) -> bool {
    text.bytes().any(|byte| (0xe3..=0xed).contains(&byte))
}

/// Calls `each` with the stretches of Han, katakana and hangul that may be names.
pub fn each<'t>(whole: &'t str, each: &mut dyn FnMut(&'t str)) {
    let (mut from, mut before, mut joined) = (0, None, false);
    let mut end = |from: usize, to: usize, joined: bool| {
        let stretch = text::between(whole, from, to);
        let stretch = if joined { stretch.trim_start_matches(MEASURES) } else { stretch };
        if (2..=LONGEST).contains(&text::characters(stretch)) && !is_everyday(stretch) {
            each(stretch);
        }
    };
    for (at, letter) in whole.char_indices() {
        let of = script(letter);
        let joins = of == Some(Script::Han) && JOINTS.contains(letter);
        let now = of.filter(|_| !joins);
        if now != before {
            if before.is_some() {
                end(from, at, joined);
            }
            (from, before) = (at, now);
        }
        // Whether the next stretch begins behind a joint.
        if now.is_none() {
            joined = joins;
        }
    }
    if before.is_some() {
        end(from, whole.len(), joined);
    }
}

/// Whether a stretch is made of words alone that everybody knows.
fn is_everyday(stretch: &str) -> bool {
    let mut rest = stretch;
    while let Some((word, single)) = words_at(rest) {
        let known = EVERYDAY.binary_search(&word).is_ok();
        if !known && !BOTH.contains(single) {
            return false;
        }
        let length = if known { word.len() } else { single.len() };
        rest = text::between(rest, length, rest.len());
    }
    true
}

/// The first two characters of a text, or all of it, and the first one.
fn words_at(text: &str) -> Option<(&str, &str)> {
    let mut ends = text.char_indices().skip(1).map(|(at, _)| at).chain([text.len()]);
    let first = ends.next().filter(|&first| first > 0)?;
    Some((text::between(text, 0, ends.next().unwrap_or(first)), text::between(text, 0, first)))
}
