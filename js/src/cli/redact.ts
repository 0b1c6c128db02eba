/** Replaces what looks like a key, a token or a password. */
export interface Redactor {
  text(text: string): string;
  /** How many places were replaced so far. */
  readonly count: number;
}

/** Keys by the form that their issuers gave them, and what every program writes in front of a secret. */
const KEYS: readonly (readonly [kind: string, form: RegExp])[] = [
  ["private key", /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/g],
  ["key", /\b(?:sk|rk|pk)[-_](?:[a-z]{2,8}[0-9]?[-_])*[A-Za-z0-9][\w-]{18,}/g],
  ["key", /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g],
  ["key", /\bAIza[\w-]{35}/g],
  ["key", /\b(?:gsk|xai|hf|npm|lsv2|dop_v1|shpat|r8)[-_]\w{20,}/g],
  ["token", /\b(?:gh[pousr]_|github_pat_|glpat-|pypi-|xox[abeprs]-|ya29\.)[\w.-]{16,}/g],
  ["token", /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/g],
];
const SCHEME = /\b(Bearer|Basic)(\s+)([\w.~+/-]{12,}=*)/g;
const ADDRESS = /(:\/\/[^\s:/@"'\\]{1,100}:)([^\s:/@"'\\]{3,200})(?=@)/g;
/** A name that ends in one of these, and its value: `OPENAI_API_KEY=…`, `"client_secret": "…"`, also within a text of JSON. */
const NAMED =
  /((?:api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|secret|token|passw(?:or)?d|passphrase|credentials?)\\*["']?\s{0,3}[:=]\s{0,3}\\*["']?)([^\s"'\\,;<>(){}[\]]{8,512})/gi;

/** The same secret has the same name wherever it stands, so that what is written still makes sense. */
export function redactor(): Redactor {
  const names = new Map<string, string>();
  let count = 0;
  const replaced = (kind: string, secret: string) => {
    count += 1;
    const name = names.get(secret) ?? `[redacted ${kind} ${names.size + 1}]`;
    names.set(secret, name);
    return name;
  };
  return {
    text(text) {
      const formed = KEYS.reduce((all, [kind, form]) => all.replace(form, (secret) => replaced(kind, secret)), text);
      return formed
        .replace(
          SCHEME,
          (_, scheme: string, space: string, secret: string) => `${scheme}${space}${replaced("token", secret)}`,
        )
        .replace(ADDRESS, (_, before: string, secret: string) => `${before}${replaced("password", secret)}`)
        .replace(NAMED, (whole, before: string, value: string) =>
          isSecret(value) ? `${before}${replaced("value", value)}` : whole,
        );
    },
    get count() {
      return count;
    },
  };
}

/** No number, no word, no path and no expression of a program. */
function isSecret(value: string): boolean {
  return (
    /\d/.test(value) &&
    /[a-z]/i.test(value) &&
    !/^(\$|%|process\.|os\.|env\.|import\.|\[redacted)|[/]{2}|\.\w+\.\w+$/i.test(value)
  );
}
