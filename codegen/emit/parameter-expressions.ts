/** The parameters of an emitted call: `params`, and the serializers for those that are more than one plain value. */

import type { ParameterPlace } from '../model/types.ts';
import type { CallModel, ParameterStyle } from '../tools/types.ts';
import { block, propertyKey, stringLiteral } from './literal.ts';

/** Names that openapi-fetch writes into the query string as they are, unharmed. */
const PLAIN_QUERY_NAME = /^[A-Za-z0-9_.~[\]-]*$/;

/** Members of the call's options. @param bind The object literal of the values that a place sends. */
export function parameterMembers(call: CallModel, bind: (place: ParameterPlace) => string): string[] {
  const isUsed = (place: ParameterPlace) => call[place].length > 0;
  const hasStyles = (place: ParameterPlace) => Object.keys(call.styles[place]).length > 0;
  const escapesNames = call.query.some(({ wireName }) => !PLAIN_QUERY_NAME.test(wireName));
  const styles = (place: ParameterPlace) => stylesLiteral(call.styles[place]);
  const written = (place: ParameterPlace, by: string) => `request.${by}(${bind(place)}, ${styles(place)})`;
  const params = [
    ...(isUsed('path') ? [`path: ${bind('path')}`] : []),
    ...(isUsed('query') ? [`query: ${bind('query')}`] : []),
    ...(isUsed('header')
      ? [`header: ${hasStyles('header') ? written('header', 'headerValues<Header>') : bind('header')}`]
      : []),
    ...(isUsed('cookie') ? [`cookie: ${written('cookie', 'cookies<Cookie>')}`] : []),
  ];
  return [
    ...(hasStyles('path') ? [`pathSerializer: request.pathSerializer(${styles('path')})`] : []),
    ...(hasStyles('query') || escapesNames ? [`querySerializer: request.querySerializer(${styles('query')})`] : []),
    ...(params.length > 0 ? [`params: ${block('{', params, '}')}`] : []),
  ];
}

function stylesLiteral(styles: Readonly<Record<string, ParameterStyle>>): string {
  const entries = Object.entries(styles).map(([name, style]) => `${propertyKey(name)}: ${styleLiteral(style)}`);
  return block('{', entries, '}');
}

/** `{ style: 'form', explode: true, allowReserved: false }`. */
export function styleLiteral(style: ParameterStyle): string {
  if ('content' in style) return `{ content: ${stringLiteral(style.content)} }`;
  const reserved = style.allowReserved === undefined ? '' : `, allowReserved: ${style.allowReserved}`;
  return `{ style: ${stringLiteral(style.style)}, explode: ${style.explode}${reserved} }`;
}
