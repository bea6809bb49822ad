/** What a request made by hand becomes, place by place. Each value is an argument under the name of its place. */

import { compileRequest, type SerializedRequest } from '../../../../../server/call/upstream/serialize.ts';
import type {
  Binding,
  Bindings,
  ContentStyle,
  CookieStyle,
  HeaderStyle,
  PartStyle,
  PathStyle,
  QueryStyle,
  ToolRequest,
} from '../../../../../server/contract/index.ts';

type Values = Readonly<Record<string, unknown>>;
type Styles<Style> = Readonly<Record<string, Style>>;

export function writeRequest(request: ToolRequest, args: Values, path = '/x'): SerializedRequest {
  const operation = { id: null, method: 'POST', path, server: '' } as const;
  return compileRequest({ operation, request }, () => 'b0')(args);
}

export function writePath(styles: Styles<PathStyle | ContentStyle>, path: string, values: Values): string {
  return writeRequest({ path: toBindings(styles, values) }, values, path).target;
}

export function writeQuery(styles: Styles<QueryStyle | ContentStyle>, values: Values): string {
  return writeRequest({ query: toBindings(styles, values) }, values).target.replace(/^\/x\??/, '');
}

/** By name, in lower case. */
export function writeHeaders(styles: Styles<HeaderStyle | ContentStyle>, values: Values): Record<string, string> {
  const { headers } = writeRequest({ header: toBindings(styles, values) }, values);
  return Object.fromEntries(headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? '']] : [])));
}

export function writeCookies(styles: Styles<CookieStyle | ContentStyle>, values: Values): string | null {
  return writeRequest({ cookie: toBindings(styles, values) }, values).cookie;
}

export function writeForm(styles: Styles<PartStyle>, values: Values): string {
  const mediaType = 'application/x-www-form-urlencoded';
  return String(writeRequest({ body: { mediaType, as: 'form', members: toBindings(styles, values) } }, values).body);
}

/** The body between its boundaries, `b0`. */
export function writeMultipart(styles: Styles<PartStyle>, values: Values): SerializedRequest {
  const mediaType = 'multipart/form-data';
  return writeRequest({ body: { mediaType, as: 'multipart', members: toBindings(styles, values) } }, values);
}

function toBindings<Style extends object>(styles: Styles<Style>, values: Values): Bindings<Style> {
  return Object.fromEntries(
    Object.keys(values).map((name) => [
      name,
      Object.hasOwn(styles, name) ? ({ argument: name, ...styles[name] } as Binding<Style>) : name,
    ]),
  );
}
