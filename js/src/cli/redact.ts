/** Replaces what looks like a key, a token or a password. */
export interface Redactor {
  text(text: string): string;
  /** How many places were replaced so far. */
  readonly count: number;
}

/** What issuers write in front of a key so that it can be found. */
const PREFIXES = [
  ...["AKIA", "ASIA", "AIza", "AGE-SECRET-KEY-", "GOCSPX-", "NRAK-", "PMAK-", "SG.", "dapi", "hvb.", "hvs.", "ya29."],
  ...[
    "csk-",
    "nvapi-",
    "pplx-",
    "tvly-",
    "xai-",
    "xapp-",
    "xoxa-",
    "xoxb-",
    "xoxe-",
    "xoxe.",
    "xoxp-",
    "xoxr-",
    "xoxs-",
  ],
  ...[
    "gldt-",
    "glpat-",
    "glrt-",
    "pypi-",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glsa_",
    "gsk_",
    "hf_",
  ],
  ...["doo_v1_", "dop_v1_", "dor_v1_", "figd_", "lin_api_", "lsv2_", "npm_", "ntn_", "phx_", "r8_", "sbp_", "sntrys_"],
  ...["shpat_", "shpca_", "shppa_", "shpss_", "whsec_"],
];
const ISSUED = new RegExp(
  `(?<![\\w-])(?:${PREFIXES.join("|").replaceAll(".", "\\.")}|(?:sk|rk|pk)[-_](?:[a-z]{2,8}[0-9]?[-_])*)[\\w-]{16,}(?:\\.[\\w-]{8,})*`,
  "g",
);
/** Keys that are known by their form alone. */
const FORMS: readonly (readonly [kind: string, form: RegExp])[] = [
  // One that was cut off goes on as far as its lines do. It holds no quotation mark, so it ends where its text ends.
  [
    "private key",
    /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?:[\w+/=\s\\:,.()-]{0,20000}?-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|(?:\s|\\+[nr]|[A-Za-z0-9+/=]{16,})*)/g,
  ],
  ["token", /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/g],
  ["token", /(?<![\w/])1\/\/0[\w-]{30,}/g],
  ["token", /\b\d{8,10}:AA[\w-]{33}\b/g],
  ["token", /\b[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,38}\b/g],
  ["key", /\bSK[0-9a-f]{32}\b/g],
  ["token", /(?<=hooks\.slack\.com\/services\/)[\w/-]{20,}/g],
  ["token", /(?<=discord(?:app)?\.com\/api\/webhooks\/\d{10,20}\/)[\w-]{30,}/g],
];
/** What stands before a secret of any form, and whether what follows looks like one. */
const PLACES: readonly (readonly [kind: string, place: RegExp, isMeant: (value: string, before: string) => boolean])[] =
  [
    ["token", /(\b(?:Bearer|Basic)\s+)([\w.~+/-]{12,}=*)/g, (value) => !isWords(value)],
    ["password", /(:\/\/[^\s:/@"'\\]{0,100}:)([^\s:/@"'\\]{3,200})(?=@)/g, isValue],
    ["token", /(:\/\/)([\w-]{20,200})(?=@)/g, isMixed],
    ["token", /(\b(?:set-)?cookie\\*["']?\s{0,3}:\s{0,3}\\*["']?)([\w.-]+=[^"'\\\r\n]{8,4000})/gi, () => true],
    ["password", /(\s(?:-u|--user)[ =]["']?[^\s:"'\\]{1,100}:)([^\s"'\\]{6,200})/g, isSecret],
    [
      "value",
      /(\b(?:auth|sig)\\*["']?\s{0,3}[:=]\s{0,3}\\*["']?)([\w+/=%-]{24,512})/gi,
      (value) => isMixed(value) && isSecret(value),
    ],
    // A password of several words, in quotation marks.
    [
      "value",
      /((?:passw(?:or)?d|passphrase)\\*["']?\s{0,3}[:=]\s{0,3}\\*["'])([^"'\\\r\n]{8,200})(?=\\*["'])/gi,
      isSecret,
    ],
    // `OPENAI_API_KEY=…`, `"client_secret": "…"`, also within a text of JSON. In a shell whatever is given to such a name is one.
    [
      "value",
      /((?:(?:api|access|account|auth|encryption|private|secret|signing|subscription)[_-]?key|secret|token|passw(?:or)?d|passphrase|credentials?)\\*["']?\s{0,3}[:=]\s{0,3}\\*["']?)([^\s"'\\,;<>(){}[\]]{8,512})/gi,
      (value, before) => isSecret(value) || (/^[A-Z_]+=$/.test(before) && isValue(value)),
    ],
  ];

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
      const issued = text.replace(ISSUED, (key) => (isMixed(key) ? replaced("key", key) : key));
      const formed = FORMS.reduce((all, [kind, form]) => all.replace(form, (key) => replaced(kind, key)), issued);
      return PLACES.reduce(
        (all, [kind, place, isMeant]) =>
          all.replace(place, (whole, before: string, value: string) =>
            isMeant(value, before) ? before + replaced(kind, value) : whole,
          ),
        formed,
      );
    },
    get count() {
      return count;
    },
  };
}

/** No word and no name: it has a digit, or small and capital letters. */
function isMixed(value: string): boolean {
  return /\d/.test(value) || (/[a-z]/.test(value) && /[A-Z]/.test(value));
}

function isWords(value: string): boolean {
  return /^(?:[A-Z]?[a-z]+|[A-Z]+)(?:[-/._](?:[A-Z]?[a-z]+|[A-Z]+))*[.]?$/.test(value);
}

/** No number, no word, no path and no expression of a program. */
function isSecret(value: string): boolean {
  return /\d/.test(value) && /[a-z]/i.test(value) && isValue(value);
}

function isValue(value: string): boolean {
  return !/\.{3}|^(\$|%|process\.|os\.|env\.|import\.|\[redacted)|[/]{2}|\.\w+\.\w+$|^[~.]{0,2}(?:\/[\w.-]+){2,}$/i.test(
    value,
  );
}
