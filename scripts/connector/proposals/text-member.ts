/** Finds texts in output schemas. */

/** Whether a member of an output schema is text: a member without a type is, unless it has members or items. */
export function isTextMember({
  type,
  properties,
  additionalProperties,
  items,
}: Readonly<Record<string, unknown>>): boolean {
  if (type !== undefined) return JSON.stringify(type).includes('string');
  return properties === undefined && additionalProperties === undefined && items === undefined;
}
