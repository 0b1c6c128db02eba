/** What the SDK's `jsonSchema` makes of a JSON Schema, in every version. What a model writes is judged by the tool itself. */
export function schemaOf(jsonSchema: object): object {
  return {
    [Symbol.for("vercel.ai.schema")]: true,
    [Symbol.for("vercel.ai.validator")]: true,
    _type: undefined,
    jsonSchema,
    validate: undefined,
  };
}
