// Two hosts of one chat: one passes its history, the other one passes back the views that it got.

const isEdited = (state) => Boolean(state?.clips?.length || state?.cleared);
/** Also if it was covered with the same request. */
const edits = ({ changes }) => changes.some(({ action }) => action !== "cover");
const checkpointsOf = (state) => JSON.stringify(state?.checkpoints ?? []);

/**
 * Reports for each request whether the two may differ: only if something was covered with it, in either, after something was
 * cut or cleared. Code knows less then from a view than from a history, and the text it writes may say less. `before` is
 * the state that the request began with, `after` the states of both that it led to, `reports` what both reported.
 */
export function twins() {
  let edited = false;
  return (before, after, reports) => {
    edited ||= [before, ...after].some(isEdited) || reports.some(edits);
    return edited && after.some((state) => checkpointsOf(state) !== checkpointsOf(before));
  };
}
