//! The words and phrases by which [`rules`](super::rules) classifies sentences, as lists in text files. What is read of
//! a word are the lists that hold it, as bits.

/// Demands something wherever it stands in a sentence.
pub(super) const DEMAND: u64 = 1;
/// Demands something if a clause begins with it: verbs of how to work, prohibitions, bounds.
pub(super) const CLAUSE_START: u64 = 1 << 1;
/// Demands something at the end of a sentence: languages that put the verb there.
pub(super) const SENTENCE_END: u64 = 1 << 2;
/// A wish of the speaker: requires something if a bound, a preference or a negation follows.
pub(super) const WISH: u64 = 1 << 3;
/// What makes a wish a requirement.
pub(super) const BOUND: u64 = 1 << 4;
/// The speaker: what stands right behind is about themselves, not demanded.
pub(super) const SPEAKER: u64 = 1 << 5;
/// Whom a statement is about, unless a verb says that they must.
pub(super) const OTHER_SUBJECT: u64 = 1 << 6;
/// Verbs that say what others must do.
pub(super) const MODAL: u64 = 1 << 7;
/// What stands behind a verb that asks for one thing once.
pub(super) const OBJECT_ONCE: u64 = 1 << 8;
/// Clause starts that ask for one thing as often as for a way of working.
pub(super) const OFTEN_ONCE: u64 = 1 << 9;
/// What stands behind a negation where nothing is asked ("no problem").
pub(super) const REMARK: u64 = 1 << 10;
/// Negations, and others of the clause starts that may stand before such a remark.
pub(super) const NEGATION: u64 = 1 << 11;
/// Reports a decision.
pub(super) const DECISION: u64 = 1 << 12;
/// Makes a sentence no demand, wherever it stands.
pub(super) const NO_DEMAND: u64 = 1 << 13;
/// Verbs that state how something is, and possessives.
pub(super) const STATEMENT: u64 = 1 << 14;
/// Reports a permission, a change or a new name.
pub(super) const CHANGE: u64 = 1 << 15;
/// The same, of words that mean other things as well: a request is not called off by them.
pub(super) const WEAK_CHANGE: u64 = 1 << 16;
/// A phrase that reports no change, though it holds such a word or begins like what does.
pub(super) const NO_CHANGE: u64 = 1 << 17;
/// A word before an imperative that leaves it one.
pub(super) const LEAD_IN: u64 = 1 << 18;
/// A word with which a sentence agrees to what was asked.
pub(super) const AGREEMENT: u64 = 1 << 19;
/// Begins a condition: what follows it is demanded whenever it holds.
pub(super) const CONDITION: u64 = 1 << 20;
/// Verbs that ask for one thing, unless they stand behind a condition.
pub(super) const ORDER: u64 = 1 << 21;
/// Begins an indirect question: what should be is asked there, not demanded.
pub(super) const INDIRECT: u64 = 1 << 22;
/// Takes back what was asked last.
pub(super) const UNDO: u64 = 1 << 23;
/// Begins a condition, or stands right behind the word that does, where it holds at most once ("once that is done").
pub(super) const PASSING_CONDITION: u64 = 1 << 25;
/// Begins what is about all or none of something: a rule, or a report.
pub(super) const QUANTITY: u64 = 1 << 26;
/// What makes it a report ("all tests pass").
pub(super) const REPORT: u64 = 1 << 27;
/// Verbs that ask for an answer: a contrast behind one states its form ("give it in euros, not in dollars").
pub(super) const TELLING: u64 = 1 << 28;
/// What stands before an order in a clause that leaves it one ("can you …").
pub(super) const POLITE: u64 = 1 << 29;
/// Permits something, or lets go of a rule.
pub(super) const PERMISSION: u64 = 1 << 30;
/// More words of a phrase may follow.
pub(super) const MORE: u64 = 1 << 24;

/// The lists of languages that part words by blanks, in small letters.
pub(super) const LISTS: [(u64, &str); 28] = [
    (DEMAND, include_str!("demands.txt")),
    (CLAUSE_START, include_str!("clause_starts.txt")),
    (SENTENCE_END, include_str!("sentence_ends.txt")),
    (WISH, include_str!("wishes.txt")),
    (BOUND, include_str!("bounds.txt")),
    (SPEAKER, include_str!("speakers.txt")),
    (OTHER_SUBJECT, include_str!("other_subjects.txt")),
    (MODAL, include_str!("modals.txt")),
    (OBJECT_ONCE, include_str!("objects_once.txt")),
    (OFTEN_ONCE, include_str!("verbs_often_once.txt")),
    (REMARK, include_str!("remarks.txt")),
    (NEGATION, include_str!("negations.txt")),
    (DECISION, include_str!("decisions.txt")),
    (NO_DEMAND, include_str!("no_demand.txt")),
    (STATEMENT, include_str!("statements.txt")),
    (CHANGE, include_str!("change_cues.txt")),
    (WEAK_CHANGE, include_str!("weak_change_cues.txt")),
    (NO_CHANGE, include_str!("no_change.txt")),
    (CONDITION, include_str!("conditions.txt")),
    (ORDER, include_str!("orders.txt")),
    (INDIRECT, include_str!("indirect_questions.txt")),
    (UNDO, include_str!("undo_cues.txt")),
    (PASSING_CONDITION, include_str!("passing_conditions.txt")),
    (QUANTITY, include_str!("quantities.txt")),
    (REPORT, include_str!("reports.txt")),
    (TELLING, include_str!("telling_verbs.txt")),
    (POLITE, include_str!("polite_leads.txt")),
    (PERMISSION, include_str!("permissions.txt")),
];
/// Words, without phrases, whose bits tell neither what a sentence is nor where a phrase ends.
pub(super) const LEAD_INS: &str = include_str!("lead_ins.txt");
/// The same, as they are written at the start of a sentence.
pub(super) const AGREEMENTS: &str = include_str!("agreements.txt");
/// How a message begins that calls off what was asked before.
pub(super) const CANCELS: &str = include_str!("cancels.txt");

/// Chinese, Japanese and Korean: what demands something, wherever it stands.
pub(super) const CJK_DEMANDS: &str = include_str!("cjk_demands.txt");
/// A search, which is a demand only beside a bound.
pub(super) const CJK_WISHES: &str = include_str!("cjk_wishes.txt");
/// What makes a search a demand.
pub(super) const CJK_BOUNDS: &str = include_str!("cjk_bounds.txt");
/// Who speaks about themselves, supposes or praises: no demand.
pub(super) const CJK_NO_DEMAND: &str = include_str!("cjk_no_demand.txt");
/// Reports a decision.
pub(super) const CJK_DECISIONS: &str = include_str!("cjk_decisions.txt");
/// Tells how something is.
pub(super) const CJK_STATEMENTS: &str = include_str!("cjk_statements.txt");
/// Reports a permission, a change or a new name.
pub(super) const CJK_CHANGES: &str = include_str!("cjk_change_cues.txt");

/// English: what forbids something.
pub(super) const PROHIBITIONS: &str = include_str!("prohibitions.txt");

/// Thanks and greetings.
pub(super) const COURTESIES: &str = include_str!("courtesies.txt");
/// Words that stand beside them.
pub(super) const COURTESY_FILLERS: &str = include_str!("courtesy_fillers.txt");

/// Words that say nothing of what a sentence is about, as they are stemmed.
pub(super) const TOPICLESS_STEMS: &str = include_str!("topicless_stems.txt");
/// Names of languages: an answer in one takes the place of an answer in another.
pub(super) const LANGUAGES: &str = include_str!("languages.txt");
