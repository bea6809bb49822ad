/** What an emitted call sends where, read from its source. */

import ts from 'typescript';
import type { Sent } from '../types.ts';
import { readBody, unwrapFile, withoutTypes } from './bodies.ts';
import { memberName, objectMembers, readLiteral } from './literal.ts';
import { readPlaceStyles, readSerializer } from './styles.ts';

interface CallSurface {
  readonly sends: Readonly<Record<string, Sent>>;
  /** By address, in words; a parameter that is one plain value has none. */
  readonly styles: Readonly<Record<string, string>>;
  /** Null for a call without a body, or with one that is not written as codegen writes it. */
  readonly bodyType: string | null;
  readonly callOptions: Readonly<Record<string, string>>;
}

/** What every call says, and what follows from the rest. */
const COMMON = new Set(['baseUrl', 'fetch', 'signal', 'parseAs']);

/**
 * Reads `(client, args, request) => client.GET('/path', { ... })`.
 *
 * Whatever it does not recognise becomes a call option with its source text, so that no change of it goes unseen.
 */
export function readCall(node: ts.Expression, source: ts.SourceFile): CallSurface {
  const sends: Record<string, Sent> = {};
  const styles: Record<string, string> = {};
  const callOptions: Record<string, string> = {};
  const init = callArguments(node)?.[1];
  if (init === undefined || !ts.isObjectLiteralExpression(init)) {
    return { sends, styles, bodyType: null, callOptions: { call: sourceText(node, source) } };
  }
  const members = objectMembers(init);
  const bodySurface = readBody(new Map(members));
  Object.assign(styles, bodySurface.styles);
  for (const [name, value] of members) {
    if (bodySurface.options.includes(name)) continue;
    const serializer = readSerializer(name, value);
    if (serializer !== null) Object.assign(styles, serializer);
    else if (name === 'params' && ts.isObjectLiteralExpression(value)) {
      for (const [place, values] of objectMembers(value)) {
        readPlace(place, values, source, sends);
        const written = readPlaceStyles(values);
        if (written !== null) Object.assign(styles, written);
        else if (ts.isCallExpression(values)) callOptions[`params.${place}`] = sourceText(values, source);
      }
    } else if (name === 'body') {
      readPlace('body', value, source, sends);
    } else if (!COMMON.has(name) || !isCommon(name, value, source)) {
      callOptions[name] = sourceText(value, source);
    }
  }
  return { sends, styles, bodyType: bodySurface.type, callOptions };
}

function callArguments(node: ts.Expression): readonly ts.Expression[] | null {
  if (!ts.isArrowFunction(node) || ts.isBlock(node.body)) return null;
  const call = withoutTypes(node.body);
  return ts.isCallExpression(call) ? call.arguments : null;
}

function isCommon(name: string, value: ts.Expression, source: ts.SourceFile): boolean {
  return sourceText(value, source) === (name === 'parseAs' ? "'stream'" : `request.${name}`);
}

/** Members of one place become `place.name`; a value that is no object literal is the place itself. */
function readPlace(place: string, value: ts.Expression, source: ts.SourceFile, sends: Record<string, Sent>): void {
  const bare = unwrapFile(withoutTypes(value));
  const object = wrappedObject(bare);
  if (object === null) {
    sends[place] = readSent(bare, source);
    return;
  }
  for (const property of object.properties) {
    if (ts.isPropertyAssignment(property)) {
      const name = memberName(property.name) ?? computedName(property.name, source);
      readValue(`${place}.${name}`, property.initializer, source, sends);
    } else {
      sends[`${place}.${sourceText(property, source)}`] = { kind: 'code', text: sourceText(property, source) };
    }
  }
}

function readValue(address: string, value: ts.Expression, source: ts.SourceFile, sends: Record<string, Sent>): void {
  const bare = unwrapFile(withoutTypes(value));
  if (!ts.isObjectLiteralExpression(bare) || readLiteral(bare) !== null) {
    sends[address] = readSent(bare, source);
    return;
  }
  for (const property of bare.properties) {
    if (!ts.isPropertyAssignment(property)) continue;
    const name = memberName(property.name) ?? computedName(property.name, source);
    readValue(`${address}[${name}]`, property.initializer, source, sends);
  }
}

function readSent(node: ts.Expression, source: ts.SourceFile): Sent {
  const literal = readLiteral(node);
  if (literal !== null) return { kind: 'constant', value: literal.value };
  const names = new Set(argumentNames(node));
  const [name] = names;
  if (name !== undefined && names.size === 1) return { kind: 'argument', name };
  return { kind: 'code', text: sourceText(node, source) };
}

/** `[args.column]` is written `{column}`. */
function computedName(name: ts.PropertyName, source: ts.SourceFile): string {
  const [argument] = ts.isComputedPropertyName(name) ? argumentNames(name.expression) : [];
  return argument === undefined ? sourceText(name, source) : `{${argument}}`;
}

/** Names of the members of `args` that an expression reads. */
function argumentNames(node: ts.Node): string[] {
  if (ts.isPropertyAccessExpression(node) && isArgs(node.expression)) return [node.name.text];
  if (
    ts.isElementAccessExpression(node) &&
    isArgs(node.expression) &&
    ts.isStringLiteralLike(node.argumentExpression)
  ) {
    return [node.argumentExpression.text];
  }
  const names: string[] = [];
  ts.forEachChild(node, (child) => {
    names.push(...argumentNames(child));
  });
  return names;
}

function isArgs(node: ts.Expression): boolean {
  return ts.isIdentifier(node) && node.text === 'args';
}

/** `{...}` itself, or the `{...}` in `request.optionalBody({...})` and its like. */
function wrappedObject(node: ts.Expression): ts.ObjectLiteralExpression | null {
  if (ts.isObjectLiteralExpression(node)) return node;
  const [first] = ts.isCallExpression(node) ? node.arguments : [];
  const inner = first === undefined ? null : withoutTypes(first);
  return inner !== null && ts.isObjectLiteralExpression(inner) ? inner : null;
}

function sourceText(node: ts.Node, source: ts.SourceFile): string {
  return node.getText(source).replaceAll(/\s+/g, ' ');
}
