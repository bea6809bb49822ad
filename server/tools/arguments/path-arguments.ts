/** Rules about arguments that no JSON Schema expresses: path segments, and arguments that must agree. */

import { type Arguments, pathArguments } from '../../upstream/index.ts';
import { type AnyTool, isHandWritten } from '../catalogue/hand-written.ts';

/** An argument that breaks a rule. */
export interface BrokenRule {
  readonly argument: string;
  /** One sentence for the model. */
  readonly text: string;
  /** A value that would do, where the other arguments say which. */
  readonly example?: unknown;
}

/**
 * Checks the arguments that become path segments.
 *
 * An empty one, `.` and `..` would make the request go to another path of the upstream, in any encoding
 * (WHATWG URL, "double-dot URL path segment"). What arrays and objects come to depends on the parameter's style, so the
 * serializer of the path checks the segment that they make; here they have to hold something, and no dots alone.
 *
 * @returns what is wrong, or null.
 */
export function findUnsafePathArgument(tool: AnyTool, args: Arguments): BrokenRule | null {
  if (isHandWritten(tool)) return null;
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

/**
 * Checks the arguments that repeat what others say.
 *
 * @returns what is wrong, with both values, or null. An agreement is not checked while one of its arguments is not given.
 */
export function findDisagreement(tool: AnyTool, args: Arguments): BrokenRule | null {
  if (isHandWritten(tool)) return null;
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
