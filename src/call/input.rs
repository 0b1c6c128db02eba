//! The parsed input of one call: everything that the host passed besides the text of the messages.

use crate::base::error::{Code, Error};
use crate::base::json::{Faults, Fields, Json, element, misfit};
use crate::base::references;
use crate::call::separated::{Apart, InputPlace};
use crate::ingest::host::Todo;
use crate::ladder::plan::Plan;
use crate::limits::options::{self, Options};
use crate::limits::provider_refusal::{self, Overflow, Refusal};
use crate::limits::thinking_refusal;
use crate::limits::tool_policy::{self, ToolPolicies};
use crate::limits::wishes::Wishes;
use crate::model::message::{MessageRecord, Part, PartKind, combine};
use crate::session::state::SessionState;
use crate::summary::request::{Author, Focus};

/// The parsed input of a call. It is owned, because each step of a call parses its own.
#[derive(Clone, Debug)]
pub struct Call {
    /// The configuration.
    pub options: Options,
    /// The context window of the model, in tokens.
    pub window: u64,
    /// The state as it was passed.
    pub state: SessionState,
    /// Set if what was passed is bound to another chat than the one that was named, so that nothing of it is used: the number
    /// of messages that it covered.
    pub of_other: Option<u64>,
    /// The records of the messages.
    pub records: Vec<u32>,
    /// One byte per message: the results of the host's `pin` and `isTyped`.
    pub flags: Vec<u8>,
    /// The number of messages at the start that the host did not load.
    pub offset: u64,
    /// The model's id.
    pub model: Option<String>,
    /// The reply limit of this call.
    pub max_output: Option<u64>,
    /// Raw tokens of the system prompt.
    pub system: u64,
    /// Raw tokens of the tool definitions.
    pub tools: u64,
    /// The hashes of the system prompt and of the tools, if they were passed.
    pub beside_hashes: [Option<u64>; 2],
    /// Whether the system prompt or tools were passed, so that nothing large is missing from the count.
    pub counted: bool,
    /// The number of tools whose schema could not be read.
    pub uncounted_tools: u64,
    /// Whether the host's token counter failed on some texts.
    pub counter_failed: bool,
    /// The number of messages that the format could not read.
    pub unreadable: u64,
    /// Literal strings that must stay in the view.
    pub must_keep: Vec<String>,
    /// The host's task list.
    pub todos: Vec<Todo>,
    /// Whether to compact at the soft mark, ahead of time.
    pub soft: bool,
    /// The provider's error about the previous request.
    pub refusal: Option<Refusal>,
    /// Whether messages of one role must not be adjacent, and the format can merge them.
    pub strict: bool,
    /// Whether the first message after the instructions must be a user message.
    pub opens_with_user: bool,
    /// Whether the provider may hold messages before the first one.
    pub continues: bool,
    /// Whether the provider accepts empty messages.
    pub takes_empty: bool,
    /// Whether the format can copy a message without some of its parts.
    pub leaves_out: bool,
    /// Whether signed reasoning of a model that nobody knows may be bound to what was sent before it.
    pub may_be_bound: bool,
    /// The model has the tool by which it recalls: notices and digests carry references.
    pub recalls: bool,
    /// Whether the provider compacts this chat itself: then nothing new is covered, cut or cleared.
    pub provider_compacts: bool,
    /// A plan whose summary is being written elsewhere.
    pub in_flight: Option<Plan>,
    /// Whether the host asks the summarizer as long as there is something to ask, and sends only the view of the last
    /// commit.
    pub asking: bool,
    /// Whether to compact now, whatever the size.
    pub now: bool,
    /// The topic that the summary of a compaction by hand should focus on.
    pub focus: Option<Focus>,
    /// The ids of the messages, if the format has them.
    pub ids: Vec<Option<String>>,
    /// Where each message stands in what the host passed, if messages that were sent as one are taken apart: records, flags
    /// and ids are then of these.
    pub places: Vec<InputPlace>,
}

impl Call {
    /// Parses a call. `system` and `tools` are the records of the pseudo-messages.
    ///
    /// # Errors
    ///
    /// Names the path of the first wrong member.
    pub fn parse(
        json: &Json,
        records: Vec<u32>,
        flags: Vec<u8>,
        system: Option<&[u32]>,
        tools: Option<&[u32]>,
    ) -> Result<Self, Error> {
        let faults = Faults::default();
        let fields = Fields::of(json, "", Code::InvalidCall, &faults);
        let mut options = Options::parse(fields.raw("options"))?;
        options.tools.under(ToolPolicies::parse(fields), tool_policy::says_of_others(json));
        options.tools.asked |= fields.flag("asksPolicies");
        options.wishes = options.wishes.under(Wishes::parse(fields));
        let model = owned(fields.text("model"));
        options.estimator = options.estimator.for_model(model.as_deref());
        let threshold = fields.text("threshold");
        if let Some(other) = threshold.filter(|&name| name != "soft") {
            fields.wrong("threshold", &format!("There is no threshold \"{other}\"; the only one is \"soft\"."));
        }
        let state = SessionState::parse(fields.raw("state"))?;
        let (mut state, of_other) = match fields.text("chat") {
            Some(chat) => state.of_chat(chat),
            None => (state, None),
        };
        state.recount(&options.estimator);
        let todos = todos(fields);
        let call = Self {
            in_flight: match fields.raw("inFlight") {
                Json::Null => None,
                plan => {
                    Some(Plan::parse(plan).map_err(|error| Error::at(error.code, "inFlight", error.advice.clone()))?)
                }
            },
            window: options::window(fields.raw("window"))?,
            state,
            of_other,
            records,
            flags,
            offset: fields.count("offset").unwrap_or(0),
            model,
            max_output: fields.count("maxOutputTokens").or(options.max_output),
            system: tokens(system),
            tools: options.estimator.tools(tokens(tools)),
            beside_hashes: beside_hashes(fields.raw("before"), system, tools),
            counted: system.is_some() || tools.is_some(),
            uncounted_tools: fields.count("uncountedTools").unwrap_or(0),
            counter_failed: fields.flag("counterFailed"),
            unreadable: fields.list("unreadable").len() as u64,
            must_keep: fields.texts("mustKeep"),
            todos,
            soft: threshold.is_some(),
            refusal: refusal(fields.raw("overflow")),
            strict: fields.flag("strict"),
            opens_with_user: fields.flag("opensWithUser"),
            continues: fields.flag("continues"),
            takes_empty: fields.flag("takesEmpty"),
            leaves_out: fields.flag("leavesOut"),
            may_be_bound: !fields.flag("signsFreely"),
            recalls: recalls(fields, tools) && options.preset.is_none(),
            provider_compacts: fields.flag("providerCompacts"),
            asking: fields.flag("asking"),
            now: fields.flag("compact"),
            focus: focus(fields),
            ids: fields.list("ids").iter().map(|id| owned(id.text())).collect(),
            places: Vec::new(),
            options,
        };
        faults.end()?;
        Ok(call.taken_apart())
    }

    /// Takes messages apart that were sent as one, and puts those in order that stand elsewhere, if what was passed is a view
    /// of this state.
    fn taken_apart(mut self) -> Self {
        if self.offset > 0 {
            return self;
        }
        // Where roles must alternate, what code keeps stands before all turns.
        let apart = if self.strict {
            Apart::of(&self.records, &self.state, self.leaves_out)
        } else {
            Apart::gathered(&self.records, &self.state)
        };
        if let Some(apart) = apart {
            (self.flags, self.ids) = (apart.flags(&self.flags), apart.ids(&self.ids));
            (self.records, self.places) = (apart.records, apart.places);
        }
        self
    }

    /// The index of the message that the host passed.
    pub fn passed(&self, input: usize) -> usize {
        self.places.get(input).map_or(input, InputPlace::input)
    }

    /// The raw tokens of a request apart from its messages.
    pub fn beside(&self) -> u64 {
        self.system + self.tools + self.options.overhead + self.options.estimator.request_overhead()
    }

    /// Whether the previous request was counted by another estimator, so that lasting cuts must be redone.
    pub fn counts_anew(&self) -> bool {
        let pending = self.state.pending.as_ref().map(|pending| pending.key.as_str());
        let last = Some(pending.unwrap_or(&self.state.calibration.key)).filter(|key| !key.is_empty());
        let estimator = |key: &str| key.split('|').next().unwrap_or_default().to_owned();
        last.is_some_and(|last| estimator(last) != estimator(&self.key()))
    }

    /// The key of the calibration: estimator with version and family, and model.
    pub fn key(&self) -> String {
        format!("{}|{}", self.options.estimator.key(), self.model.as_deref().unwrap_or_default())
    }
}

/// The host's task list. A missing status means `pending`.
fn todos(call: Fields<'_>) -> Vec<Todo> {
    let mut todos = Vec::new();
    for (index, todo) in call.list("todos").iter().enumerate() {
        let path = element("", "todos", index);
        let expected =
            "an object with the task and its status, such as { content: \"Write the tests\", status: \"pending\" }";
        if todo.is_null() {
            call.faults.note(misfit(call.code, &path, expected, todo));
            continue;
        }
        let todo = Fields::like(expected, todo, &path, call.code, call.faults);
        let Some(content) = owned(todo.text("content")) else {
            todo.wrong("content", "Expected the task as a string: { content, status }.");
            continue;
        };
        todos.push(Todo { content, status: todo.text("status").unwrap_or("pending").to_owned() });
    }
    todos
}

/// The topic of a compaction by hand, and who wrote it.
fn focus(call: Fields<'_>) -> Option<Focus> {
    let by = match call.text("focusBy") {
        None | Some("user") => Author::User,
        Some("assistant") => Author::Assistant,
        Some(other) => {
            call.wrong("focusBy", &format!("There is no author \"{other}\"; use \"user\" or \"assistant\"."));
            Author::Assistant
        }
    };
    let text = owned(call.text("focus").filter(|focus| !focus.trim().is_empty()))?;
    Some(Focus { text, by })
}

/// The refusal that the host passed: `true` states that the request was too long; otherwise an error's text and status
/// are read.
fn refusal(json: &Json) -> Option<Refusal> {
    if let Json::Null | Json::Bool(false) = json {
        return None;
    }
    if *json == Json::Bool(true) {
        return Some(Refusal::TooLong(Overflow::default()));
    }
    let text = json.text().or_else(|| json.get("text").text()).unwrap_or_default();
    let status = json.get("status").count();
    if provider_refusal::is_of_block(text) {
        return Some(Refusal::Block);
    }
    if let Some(complaint) = thinking_refusal::read(text, status) {
        return Some(Refusal::Thinking(complaint));
    }
    Some(provider_refusal::read(text, status).map_or(Refusal::Other, Refusal::TooLong))
}

/// Whether the model has the tool by which it recalls: what the host says of it, or else whether it is among the tools.
fn recalls(call: Fields<'_>, tools: Option<&[u32]>) -> bool {
    if !call.raw("recall").is_null() {
        return call.flag("recall");
    }
    let is_it = |part: Part| part.kind == PartKind::Tool && part.marked && references::is_named(&part);
    tools.and_then(MessageRecord::split).is_some_and(|all| all.iter().any(|tools| tools.parts().any(is_it)))
}

#[inline(never)]
fn owned(text: Option<&str>) -> Option<String> {
    text.map(str::to_owned)
}

#[inline(never)]
fn tokens(records: Option<&[u32]>) -> u64 {
    records.and_then(MessageRecord::split).map_or(0, |all| all.iter().map(MessageRecord::tokens).sum())
}

/// The hashes of the system prompt and of the tools. `before`: their records, where what is counted is more.
fn beside_hashes(before: &Json, system: Option<&[u32]>, tools: Option<&[u32]>) -> [Option<u64>; 2] {
    if before.is_null() {
        return [system, tools].map(wire);
    }
    ["system", "tools"].map(|name| {
        let words = before.get(name).list()?.iter().map(|word| word.count().and_then(|word| u32::try_from(word).ok()));
        wire(words.collect::<Option<Vec<u32>>>().as_deref())
    })
}

/// A hash over everything that is sent of pseudo-messages.
#[inline(never)]
fn wire(records: Option<&[u32]>) -> Option<u64> {
    let all = MessageRecord::split(records?)?;
    Some(all.iter().fold(0, |hash, record| combine(hash, record.wire())))
}
