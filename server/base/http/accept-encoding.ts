/** Which content coding a client prefers (RFC 9110 §12.5.3). */

/** Content codings of answers, in order of preference. */
const CODINGS = ['br', 'gzip'] as const;

export type ContentCoding = (typeof CODINGS)[number];

/** Longer headers are ignored: a short one can ask for the same. */
const MAX_HEADER_LENGTH = 1000;

/**
 * The content coding of the answer, or null for none.
 *
 * The client's weights decide, then the order of `CODINGS`. An answer without a coding is always accepted: refusing `identity`
 * would help no one.
 */
export function chooseCoding(acceptEncoding: string | readonly string[] | undefined): ContentCoding | null {
  if (typeof acceptEncoding !== 'string' || acceptEncoding.length > MAX_HEADER_LENGTH) return null;
  const weights = new Map(acceptEncoding.toLowerCase().split(',').map(readWeight));
  const weightOf = (coding: string): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const [best] = CODINGS.toSorted((a, b) => weightOf(b) - weightOf(a));
  const least = weights.get('identity') ?? 0;
  return best !== undefined && weightOf(best) > 0 && weightOf(best) >= least ? best : null;
}

function readWeight(item: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = item.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  const value = weight === undefined ? 1 : Number(weight.slice(2));
  return [coding === 'x-gzip' ? 'gzip' : coding, value >= 0 && value <= 1 ? value : 0];
}
