/** How an emitted call writes its body, read from its source: the media type, and the styles and files of its members. */

import ts from 'typescript';
import { objectMembers, readLiteral } from './literal.ts';
import { readStyles, requestCall } from './styles.ts';

interface BodySurface {
  /** Its media type, and in which form it travels where that is not the type's own; null for a call without a body. */
  readonly type: string | null;
  /** By address, such as `body.avatar`: `a file (image/png)`. */
  readonly styles: Readonly<Record<string, string>>;
  /** Options of the call that this explains; others of them keep their source text. */
  readonly options: readonly string[];
}

/** @param members Options of the call. */
export function readBody(members: ReadonlyMap<string, ts.Expression>): BodySurface {
  const body = members.get('body');
  if (body === undefined) return { type: null, styles: {}, options: [] };
  const header = members.has('headers') ? readContentType(members.get('headers')) : undefined;
  const serializer = readBodySerializer(members.get('bodySerializer'));
  const files = readFiles(withoutTypes(body));
  if (header === 'unknown' || serializer === null) {
    return { type: null, styles: files.styles, options: [] };
  }
  return {
    type: [header?.type ?? serializer.type ?? files.type ?? 'application/json', ...serializer.words].join(', '),
    styles: { ...serializer.styles, ...files.styles },
    options: ['headers', 'bodySerializer'],
  };
}

type ContentType = { readonly type: string | null };

/** `{ 'Content-Type': 'text/csv' }`, or null in its place. */
function readContentType(node: ts.Expression | undefined): ContentType | 'unknown' {
  const literal = node === undefined ? null : readLiteral(node);
  const { 'Content-Type': type, ...others } = (literal?.value ?? { other: true }) as Record<string, unknown>;
  if (Object.keys(others).length > 0 || (type !== null && typeof type !== 'string')) return 'unknown';
  return { type };
}

interface SerializerSurface extends ContentType {
  readonly words: readonly string[];
  readonly styles: Readonly<Record<string, string>>;
}

function readBodySerializer(node: ts.Expression | undefined): SerializerSurface | null {
  const plain = { type: null, words: [], styles: {} };
  if (node === undefined) return plain;
  if (ts.isPropertyAccessExpression(node) && isRequest(node.expression)) {
    if (node.name.text === 'textBody') return { ...plain, words: ['text as it is'] };
    if (node.name.text === 'binaryBody') return { ...plain, words: ['bytes'] };
    return null;
  }
  for (const [method, type] of [
    ['formBody', null],
    ['multipartBody', 'multipart/form-data'],
  ] as const) {
    const [argument, ...others] = requestCall(node, method) ?? [];
    const styles = argument === undefined || others.length > 0 ? null : readStyles('body', argument);
    if (styles !== null) return { type, words: [], styles };
  }
  return null;
}

/** The calls of `request.file` and its like that a body is made of. */
function readFiles(body: ts.Expression): ContentType & { readonly styles: Record<string, string> } {
  const [, , accepted] = requestCall(body, 'file') ?? [];
  if (accepted !== undefined) return { type: toTypes(accepted) || null, styles: {} };
  const [, , members] = requestCall(body, 'files') ?? [];
  const styles: Record<string, string> = {};
  if (members !== undefined && ts.isObjectLiteralExpression(members)) {
    for (const [name, types] of objectMembers(members)) styles[`body.${name}`] = toFileWords(types);
  }
  const [inner] = requestCall(body, 'optionalBody') ?? [];
  const object = withoutTypes(inner ?? body);
  if (!ts.isObjectLiteralExpression(object)) return { type: null, styles };
  for (const [name, value] of objectMembers(object)) {
    const call = requestCall(withoutTypes(value), 'file');
    if (call !== null) styles[`body.${name}`] = toFileWords(call[2]);
  }
  return { type: null, styles };
}

function toFileWords(accepted: ts.Expression | undefined): string {
  const types = accepted === undefined ? '' : toTypes(accepted);
  return types === '' ? 'a file' : `a file (${types})`;
}

function toTypes(node: ts.Expression): string {
  const types = readLiteral(node)?.value;
  return Array.isArray(types) ? types.join(', ') : '';
}

/** The value that `request.file(value, ...)` and its like are given; any other expression itself. */
export function unwrapFile(node: ts.Expression): ts.Expression {
  for (const method of ['file', 'files', 'bytes']) {
    const [value] = requestCall(node, method) ?? [];
    if (value !== undefined) return withoutTypes(value);
  }
  return node;
}

/** The expression without `as`, `satisfies` and parentheses. */
export function withoutTypes(node: ts.Expression): ts.Expression {
  if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isParenthesizedExpression(node)) {
    return withoutTypes(node.expression);
  }
  return node;
}

function isRequest(node: ts.Expression): boolean {
  return ts.isIdentifier(node) && node.text === 'request';
}
