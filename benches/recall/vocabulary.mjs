// Words that everybody knows, and that no view has to keep for a model: what languages and libraries call their own
// things, brands with a capital inside, and the everyday words of Chinese, Japanese and Korean. Short on purpose: what is
// not here counts.

const words = (text) => new Set(text.trim().split(/\s+/));

/** Names of code that any model writes without having read them. */
export const KNOWN_CODE = words(`
  __init__ __main__ __name__ __file__ __str__ __repr__ __all__ __dict__ __class__ __version__ __init__.py
  toString forEach indexOf lastIndexOf parseInt parseFloat isArray charCodeAt fromCharCode toLowerCase toUpperCase
  startsWith endsWith setTimeout clearTimeout setInterval findIndex flatMap reduceRight hasOwnProperty stopPropagation
  addEventListener innerHTML textContent localStorage readFileSync writeFileSync existsSync
  TypeError ValueError AttributeError KeyError IndexError ImportError RuntimeError NotImplementedError NameError
  SyntaxError AssertionError FileNotFoundError ModuleNotFoundError OSError RangeError ReferenceError
  OrderedDict NamedTuple TestCase setUp tearDown assertEqual assertTrue assertFalse assertRaises
  console.log console.error JSON.stringify JSON.parse Object.keys Object.entries Object.values Array.isArray Array.from
  Math.max Math.min Math.floor Math.round Math.ceil Math.abs Date.now Promise.all Promise.resolve process.exit
  process.env process.argv process.cwd process.stdout process.stderr Number.isFinite String.fromCharCode
  os.path os.path.join os.path.exists os.path.dirname os.path.abspath os.environ os.getcwd os.listdir os.remove
  os.makedirs sys.path sys.argv sys.exit sys.stdout sys.stderr sys.path.insert sys.executable sys.version
  json.dumps json.loads json.load json.dump re.sub re.match re.search re.compile re.findall
  logging.getLogger unittest.main unittest.TestCase pytest.raises traceback.print_exc
  /dev/null /dev/stdin /bin/bash /bin/sh /usr/bin /usr/bin/env /usr/bin/python3 /etc /tmp utf-8
`);

/** What any value can be asked for: `kwargs.get` is an expression and names no more than `kwargs`. */
export const KNOWN_MEMBERS = words(`
  append extend insert remove pop get set setdefault update keys values items copy clear sort sorted reverse index count
  add discard split rsplit strip lstrip rstrip join replace format encode decode lower upper title find endswith startswith
  read write readlines readline writelines close open flush push shift unshift slice splice map filter reduce some every
  includes concat length size then catch finally trim padEnd padStart match matchAll test exec at call apply bind
  toString toFixed forEach indexOf charCodeAt toLowerCase toUpperCase startsWith endsWith has delete entries next done
  __init__ __name__ __class__ __dict__ __doc__ shape dtype sum mean min max abs all any
`);

/** Brands and products that are written with a capital inside. */
export const KNOWN_BRANDS = words(`
  GitHub GitLab JavaScript TypeScript OpenAI ChatGPT LinkedIn YouTube PayPal MasterCard iPhone iPad iOS macOS MacOS
  PowerShell PostgreSQL MySQL SQLite NoSQL GraphQL WebSocket OAuth WiFi LaTeX JSONP DevOps VSCode FaceTime eBay
  README.md Node.js Next.js Vue.js e.g i.e etc a.m p.m U.S
`);

/** Capitalized words that are no names: how sentences start, days, months, words of forms and of politeness. */
export const NO_NAMES = words(`
  I The This That These Those There Here It He She They We You My Your His Her Our Their A An And But Or So If As At By
  For From In Into Of On To With Without After Before When While Where Who What Why How Which Once Since Until Then Now
  Yes No Not Ok Okay Please Thanks Thank Hello Hi Dear Sorry Sure Great Good Well Also Just Let Lets Mr Mrs Ms Dr
  Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August September
  October November December Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Wed Thu Fri Sat Sun
  Error Warning Note Notes True False None Null Todo Step Steps First Second Third Next Finally Done New Old
  Time Date History Baggage Flight Flights Cabin Class Economy Business Basic Network Mode Mobile Cellular Data Status Total
  Price Payment Order Orders Item Items Method Address Type Details Options Number Passenger Passengers Reservation Name
  Departure Arrival Origin Destination Gift Card Credit Certificate Membership Travel Insurance Refund Policy User
  Customer Service Access Preferred Settings Section Version Test Tests Code Key Value Size Color
  Thought Action Observation Result Results Response Request Command Output Input Summary Example Usage File Files
`);

/**
 * Everyday words: they are in every dialogue, whatever it is about. From a list by hand, and what stands in three and more
 * of thirty dialogues of small talk (places apart).
 */
export const CJK_WORDS = words(`
  你好 您好 谢谢 再见 不客气 不用谢 请问 可以 好的 没有 什么 怎么 这个 那个 哪个 这里 那里 哪里 这些 那些 我们 你们 他们
  她们 您的 我的 你的 一个 一家 一些 一下 一点 有没有 是不是 能不能 可不可以 知道 觉得 希望 需要 应该 可能 如果 因为 所以
  但是 不过 而且 或者 然后 现在 今天 明天 昨天 时候 时间 地方 东西 事情 问题 喜欢 想要 想去 准备 帮我 帮您 为您 给您 给我
  推荐 附近 周边 酒店 餐馆 餐厅 景点 地址 电话 评分 价格 门票 名称 名字 营业时间 游玩时间 人均消费 人均 消费 多少 左右
  以上 以下 之间 比较 非常 真的 不错 很好 当然 没问题 满足 符合 条件 提供 服务 免费 请您 稍等 告诉 麻烦 祝您 愉快 旅途
  玩得开心 出租车 地铁 车型 车牌 地铁站 附近的 周边的 还有 或是 另外 信息 查询 选择 建议 号码 联系 方式 出发 到达 中国 北京
  大街 饭店 公园 感觉 适合 类型 客气 用客气 博物馆 小馆 西街 东街 全天 开放 意思 选择 决定 肯定 放心 帮忙 回答 大概
  一样 过得 音乐 今年 长大 食物 生活 一定 父母 宠物 确实 头发 老师 女孩 跳舞 讨厌 必须 一年 旅行 退休
  做饭 一名 颜色 目前 哈哈 今晚 一天 跑步 尝试 一次 电影 开始 曾经 妻子 艺术 停止 一切 改变 电视 运动
  计划 年轻 锻炼 毕业 害怕 恭喜 乐队 冬天 变得 任何 通过 蓝色 参加 假期 保持 高中 获得 小时 抱歉 感谢
  用餐 打算 晚上 北京市 城区 令人 进入 每天 记得 离开 开车
  工作 孩子 朋友 妈妈 爸爸 家人 学校 大家 自己 最近 已经 一直 经常 总是 有时 很多 许多 一起 听起来 看起来 太棒 有趣 高兴
  料理 ペット 今年 先生 引退 散歩 読書 大人 名前 運転 旅行 運動 出身 高校 分野 年間 ホーム 自宅 女性
  クール 両方 テレビ 準備 休暇 卒業 給料 バンド 大丈夫 仲間 場合 大変 一番 番目
  私は 私の 彼女 元気 素晴 世界 多分 学校 映画 音楽 本当に 子供達 時々 大学 友人 週末 両親 人生 食べ物 今日 明日 昨日 好き 仕事 本当 自分 時間 家族 子供 友達 何か 大好 一緒 最近 毎日 素敵 趣味
  학교 음악 게임 새로운 그러나 나처럼 고마워 가르쳐 아이 얼마나 고등학교 애완동물 도시 기분 공부 직업 그녀
  시간 아침 나이 그곳 음식 친구들 종류 실제 남자친구 연주 자원봉사 친구 부모님 선생님 취미 생계 행운 아마
  초등학교 여자 하루 하나 여기 그것이 최근 가족
  저는 나는 제가 내가 저도 나도 당신 당신은 당신의 정말 그리고 하지만 그래서 그런 이런 저런 그것 그거 오늘 내일 어제 지금
  아주 매우 너무 조금 많이 우리 모두 함께 그것들 무언가 누군가 때문 있습니다 있어요 있는 있나요 없습니다 없어요 없는 합니다 해요 하는 하고 하세요 했어요 했습니다 좋아
  좋아해요 좋아합니다 좋은 좋네요 좋습니다 입니다 이에요 예요 안녕 안녕하세요 감사합니다 네요 무엇 무슨 어떤 어떻게 사람 사람들
`);
