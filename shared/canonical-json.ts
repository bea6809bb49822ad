/** JSON in one form: equal values give equal text, on every machine. */

/** JSON with sorted members: equal values give equal text. `undefined` is written as null, and left out of objects. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

/** Compares in plain code-unit order, the same on every machine. */
export function byCodeUnit(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
