/** The page: a chat with the name that stands in the address after #. */
export const page = `<!doctype html>
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>precis on Durable Objects</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem }
  #log p { margin: .5rem 0; padding: .5rem .75rem; border-radius: .5rem; background: #f3f4f6; white-space: pre-wrap }
  #log p.user { background: #dbeafe; margin-left: 4rem }
  form { display: flex; gap: .5rem; position: sticky; bottom: 0; padding: 1rem 0; background: #fff } input { flex: 1; font: inherit; padding: .5rem }
  meter { width: 100% }
</style>
<h1>A chat in a Durable Object</h1>
<meter id="meter" min="0" max="1"></meter><small id="said"></small>
<div id="log"></div>
<form><input autofocus placeholder="Question 1: who wrote the first book?"><button>Send</button></form>
<script type="module">
  const name = location.hash.slice(1) || (location.hash = crypto.randomUUID()).slice(1);
  const log = document.querySelector("#log");
  const add = (role, text) => { const p = document.createElement("p"); p.className = role; p.textContent = text; log.append(p); p.scrollIntoView(); return p; };
  const show = async () => {
    const { messages, usage } = await (await fetch("/chats/" + name)).json();
    document.querySelector("#meter").value = usage.fraction;
    document.querySelector("#said").textContent = usage.tokens + " of " + usage.window + " tokens, " + usage.parts.summary + " of them a summary; " + messages.length + " messages stored";
    return messages;
  };
  for (const { role, content } of await show()) add(role, content);
  document.querySelector("form").onsubmit = async (event) => {
    event.preventDefault();
    const input = document.querySelector("input"); const text = input.value; input.value = "";
    add("user", text); const answer = add("assistant", "…"); let whole = "";
    const response = await fetch("/chats/" + name, { method: "POST", body: JSON.stringify({ id: crypto.randomUUID(), text }) });
    let rest = "";
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const events = (rest + chunk).split("\\n\\n"); rest = events.pop();
      for (const event of events) {
        const { text, done, error } = JSON.parse(event.slice(6));
        if (text) answer.textContent = whole += text;
        if (done) answer.textContent = done;
        if (error) answer.textContent = error;
      }
    }
    await show();
  };
</script>
`;
