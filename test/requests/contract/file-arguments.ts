/** Draws files and bytes as arguments: base64 of any bytes, names and media types that can be sent. */

import fc, { type Arbitrary } from 'fast-check';
import { isObject, type JsonObject } from '../../../sandbox/json.ts';
import { textArbitrary } from '../../support/schema-arbitrary.ts';

const base64 = fc.uint8Array({ maxLength: 60 }).chain((bytes) => {
  const data = Buffer.from(bytes);
  return fc.constantFrom(data.toString('base64'), data.toString('base64url'));
});

/** Names that the multipart parser of the tests keeps: it reads `%22` as a quote, and drops a leading BOM. */
const fileName = textArbitrary.filter((name) => !/^\ufeff|[/\\%\p{Cc}]/u.test(name) && !['', '.', '..'].includes(name));

/** For a schema whose content is base64, or a file; null for any other. */
export function drawBytes(schema: JsonObject): Arbitrary<unknown> | null {
  if (schema.contentEncoding === 'base64') return base64;
  const { properties, required } = schema;
  const { data, name, mimeType } = isObject(properties) ? properties : {};
  if (!isObject(data) || data.contentEncoding !== 'base64' || !isObject(mimeType)) return null;
  const types = [mimeType.enum, mimeType.examples].flat().filter((type) => typeof type === 'string');
  return fc.record(
    { data: base64, ...(name === undefined ? {} : { name: fileName }), mimeType: fc.constantFrom(...types) },
    { requiredKeys: required as never[], noNullPrototype: true },
  );
}
