/**
 * Rules about arguments that no JSON Schema expresses: path segments, texts that are JSON, arguments that must agree.
 */

import type { Tool, ToolFace } from '../../../contract/index.ts';
import { type Arguments, pathArguments } from '../../upstream/index.ts';
import { type AnyTool, isHandWritten } from '../catalogue/hand-written.ts';
import { isSchema } from '../json/schema-walk.ts';

/** An argument that breaks a rule. */
export interface BrokenRule {
  readonly argument: string;
  /** One sentence for the model. */
  readonly text: string;
  /** A valid value, if the other arguments determine it. */
  readonly example?: unknown;
}

/** Finds the first rule that schema-valid arguments break, or null. */
export function findBrokenRule(tool: AnyTool, args: Arguments): BrokenRule | null {
  if (isHandWritten(tool)) return findUnreadableJson(tool, args);
  return (
    findUnsafePathArgument(tool, args) ??
    findReservedSegment(tool, args) ??
    findUnreadableJson(tool, args) ??
    findClearedAndGiven(tool, args) ??
    findDisagreement(tool, args)
  );
}

/**
 * Checks the arguments that become path segments.
 *
 * An empty segment, `.` or `..` would send the request to another path of the upstream, in any encoding (WHATWG URL,
 * "double-dot URL path segment"). How arrays and objects are written depends on the parameter's style, so the path
 * serializer checks their segment; here they must only hold something other than dots.
 *
 * @returns the broken rule, or null.
 */
function findUnsafePathArgument(tool: Tool, args: Arguments): BrokenRule | null {
  for (const name of pathArguments(tool)) {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    const unsafe = unsafeTextOf(value);
    if (unsafe === null) continue;
    return { argument: name, text: `"${name}" becomes part of a path and must not be ${JSON.stringify(unsafe)}.` };
  }
  return null;
}

function unsafeTextOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return isUnsafe(String(value ?? '')) ? String(value ?? '') : null;
  const members = Object.values(value).filter((member) => member !== undefined && member !== null);
  if (members.length === 0) return '';
  return Array.isArray(value) ? (members.map(String).find((text) => text !== '' && isUnsafe(text)) ?? null) : null;
}

/** Finds a segment that the service uses as a literal, in any letter case, because many servers ignore case. */
function findReservedSegment({ reservedSegments = {} }: Tool, args: Arguments): BrokenRule | null {
  for (const [name, reserved] of Object.entries(reservedSegments)) {
    const given = String(Object.hasOwn(args, name) ? args[name] : '').toLowerCase();
    const word = reserved.find((one) => one.toLowerCase() === given);
    if (word === undefined) continue;
    const text = `"${name}" must not be ${JSON.stringify(word)}: there it would call another operation of the service.`;
    return { argument: name, text };
  }
  return null;
}

/** Finds a text that is not JSON although its schema says so (JSON Schema 2020-12 §8.4, `contentMediaType`). */
function findUnreadableJson({ inputSchema: { properties } }: ToolFace, args: Arguments): BrokenRule | null {
  for (const [name, value] of Object.entries(args)) {
    const schema = isSchema(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (typeof value !== 'string' || !isSchema(schema) || schema.contentMediaType !== 'application/json') continue;
    if (!isJson(value)) return { argument: name, text: `"${name}" must be JSON text (got ${shown(value)}).` };
  }
  return null;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Finds an argument that the call both sets and clears. */
function findClearedAndGiven({ request: { body } }: Tool, args: Arguments): BrokenRule | null {
  const clear = body !== undefined && 'members' in body ? body.clear : undefined;
  const names = clear === undefined ? [] : args[clear];
  if (clear === undefined || !Array.isArray(names)) return null;
  const name = names.find((one) => args[one] !== undefined);
  if (name === undefined) return null;
  const example = names.filter((one) => args[one] === undefined);
  return { argument: clear, text: `"${name}" is given and also listed in "${clear}". Keep one of them.`, example };
}

/**
 * Checks arguments that repeat the value of others.
 *
 * @returns the disagreement with both values, or null. A pair is not checked if one of its arguments is missing.
 */
function findDisagreement(tool: Tool, args: Arguments): BrokenRule | null {
  for (const { argument, template } of tool.agreements ?? []) {
    const names = [...template.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1] ?? '');
    if ([argument, ...names].some((name) => args[name] === undefined || args[name] === null)) continue;
    const expected = template.replace(/\{([^{}]+)\}/g, (_, name: string) => String(args[name]));
    const given = String(args[argument]);
    if (given === expected) continue;
    const others = names.map((name) => `"${name}"`).join(' and ');
    const text = `"${argument}" says ${shown(given)} but ${others} ${names.length === 1 ? 'says' : 'say'} ${shown(expected)}. Use the same in both.`;
    return { argument, text, example: expected };
  }
  return null;
}

function isUnsafe(segment: string): boolean {
  return segment === '' || segment === '.' || segment === '..';
}

function shown(text: string): string {
  return JSON.stringify(text.length <= 100 ? text : `${text.slice(0, 100)}…`);
}
