/** Texts that a parameter's place and style can carry; the gateway refuses all others (see `CannotSendError`). */

import fc, { type Arbitrary } from 'fast-check';
import type { SandboxOperation, SandboxParameter } from '../../../sandbox/descriptor/operations.ts';
import { textArbitrary } from '../../support/schema-arbitrary.ts';

export interface Texts {
  readonly text: Arbitrary<string>;
  /** Of members that the schema does not declare. */
  readonly names: Arbitrary<string>;
}

/** Visible ASCII, with spaces inside only: what a header carries unchanged (RFC 9110 §5.5). */
const headerText = fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/);

const ANY: Texts = { text: textArbitrary, names: textArbitrary };

export function textsOf(parameter: SandboxParameter | undefined, operation: SandboxOperation): Texts {
  if (parameter === undefined || parameter.content === 'json') return ANY;
  if (parameter.content === 'text') return ofTextDocument(parameter);
  switch (parameter.in) {
    case 'path':
      return ofPath(parameter);
    case 'query':
      return ofQuery(parameter, operation);
    case 'header':
      return ofHeader(parameter);
    case 'cookie':
      return { text: textArbitrary, names: textArbitrary.filter((name) => name !== '' && isFree(name, operation)) };
    case 'querystring':
      return ANY;
  }
}

function ofTextDocument({ in: place }: SandboxParameter): Texts {
  if (place === 'header') return { ...ANY, text: headerText };
  if (place === 'cookie') return { ...ANY, text: headerText.filter((text) => !text.includes(';')) };
  return place === 'path' ? { ...ANY, text: textArbitrary.filter(isSegment) } : ANY;
}

/** Without `..` and what would split an exploded label. */
function ofPath({ style, explode, value }: SandboxParameter): Texts {
  if (style === 'matrix') return ANY;
  const isSplit = style === 'label' && explode && value.kind !== 'primitive';
  const text = textArbitrary.filter((one) => isSegment(one) && !(isSplit && one.includes('.')));
  return { text, names: isSplit ? textArbitrary.filter((name) => !name.includes('.')) : textArbitrary };
}

function ofQuery({ style, explode, value }: SandboxParameter, operation: SandboxOperation): Texts {
  const without = (delimiter: string): Texts => {
    const text = textArbitrary.filter((one) => !one.includes(delimiter));
    return { text, names: text };
  };
  if (style === 'deepObject') return { ...ANY, names: textArbitrary.filter((name) => !/[[\]]/.test(name)) };
  if (value.kind === 'primitive') return ANY;
  if (explode) return { ...ANY, names: textArbitrary.filter((name) => isFree(name, operation)) };
  return style === 'spaceDelimited' ? without(' ') : style === 'pipeDelimited' ? without('|') : ANY;
}

/** Nothing escapes the commas of a list, nor the equals sign behind the name of an exploded member. */
function ofHeader({ value }: SandboxParameter): Texts {
  if (value.kind === 'primitive') return { ...ANY, text: headerText };
  const text = headerText.filter((one) => !one.includes(','));
  return { text, names: text.filter((name) => !name.includes('=')) };
}

function isSegment(text: string): boolean {
  return !['', '.', '..'].includes(text);
}

function isFree(name: string, operation: SandboxOperation): boolean {
  return !operation.parameters.some((parameter) => parameter.name === name);
}
