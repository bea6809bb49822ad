/** The request of a tool: method, path, base URL, and everything that every call sends besides its arguments. */

import { isSame } from '../canonical.ts';
import type { Finding, Sent, ToolSurface } from '../types.ts';
import { argumentNames, placesOf, renamedArguments } from './arguments.ts';

/** The style of a parameter that is one plain value. */
const PLAIN = 'one plain value';

const READS = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY', 'TRACE']);

export function checkOperation(before: ToolSurface, after: ToolSurface): Finding[] {
  const [old, now] = [before.operation, after.operation];
  if (old === null || now === null) return [];
  const findings: Finding[] = [];
  const compare = (member: 'id' | 'method' | 'path' | 'server', rule: Finding['rule']) => {
    if (old[member] === now[member]) return;
    const place = `operation.${member}`;
    findings.push({ rule, place, before: old[member], after: now[member], pointer: ['operation', member] });
  };
  compare('method', READS.has(old.method) && !READS.has(now.method) ? 'method-writes' : 'method-changed');
  compare('path', 'path-changed');
  compare('server', 'server-changed');
  compare('id', 'operation-id-changed');
  return findings;
}

/** Where arguments and fixed values are sent, and how they are written there. */
export function checkCall(before: ToolSurface, after: ToolSurface): Finding[] {
  return [
    ...checkArgumentPlaces(before, after),
    ...checkFixedValues(before, after),
    ...checkCredentials(before, after),
    ...checkStyles(before, after),
    ...checkBodyType(before, after),
    ...checkCallOptions(before, after),
  ];
}

function checkArgumentPlaces(before: ToolSurface, after: ToolSurface): Finding[] {
  const renamed = renamedArguments(before, after);
  const now = argumentNames(after);
  return argumentNames(before).flatMap((name): Finding[] => {
    const kept = renamed.get(name) ?? name;
    if (!now.includes(kept)) return [];
    const [was, is] = [placesOf(before, name), placesOf(after, kept)];
    if (isSame(was, is)) return [];
    const place = `call.${kept}`;
    return [{ rule: 'argument-sent-elsewhere', place, before: was, after: is, pointer: ['request'] }];
  });
}

function checkFixedValues(before: ToolSurface, after: ToolSurface): Finding[] {
  const rule = after.annotations.readOnlyHint === true ? 'fixed-value-changed' : 'fixed-value-of-write-changed';
  return compareSent(before, after, rule, (sent) => (sent.kind === 'constant' ? sent.value : undefined));
}

/** Parts of the credential in paths and bodies; the connector's rules cover the others. */
function checkCredentials(before: ToolSurface, after: ToolSurface): Finding[] {
  return compareSent(before, after, 'credential-moved', (sent) => (sent.kind === 'credential' ? sent.id : undefined));
}

/** Compares what is sent to each address, for the kinds that `read` knows. */
function compareSent(
  before: ToolSurface,
  after: ToolSurface,
  rule: Finding['rule'],
  read: (sent: Sent) => unknown,
): Finding[] {
  const valuesOf = ({ sends }: ToolSurface): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(sends).flatMap(([address, sent]) => {
        const value = read(sent);
        return value === undefined ? [] : [[address, value]];
      }),
    );
  const [old, now] = [valuesOf(before), valuesOf(after)];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((address): Finding[] => {
    if (isSame(old[address], now[address])) return [];
    return [{ rule, place: `call.${address}`, before: old[address], after: now[address], pointer: ['request'] }];
  });
}

/** Compares parameters that both sides send; other rules report added and removed ones. */
function checkStyles(before: ToolSurface, after: ToolSurface): Finding[] {
  const isSent = ({ sends }: ToolSurface, address: string) =>
    Object.keys(sends).some(
      (one) => one === address || one.startsWith(`${address}[`) || (one === 'body' && address.startsWith('body.')),
    );
  const addresses = new Set([...Object.keys(before.styles), ...Object.keys(after.styles)]);
  return [...addresses].flatMap((address): Finding[] => {
    const [was, is] = [before.styles[address] ?? PLAIN, after.styles[address] ?? PLAIN];
    if (was === is || !isSent(before, address) || !isSent(after, address)) return [];
    return [{ rule: 'style-changed', place: `call.${address}`, before: was, after: is, pointer: ['request'] }];
  });
}

/** Compares calls that have a body on both sides. */
function checkBodyType({ bodyType: was }: ToolSurface, { bodyType: is }: ToolSurface): Finding[] {
  if (was === null || is === null || was === is) return [];
  return [{ rule: 'body-type-changed', place: 'call.body', before: was, after: is, pointer: ['request'] }];
}

function checkCallOptions(before: ToolSurface, after: ToolSurface): Finding[] {
  const [old, now] = [before.callOptions, after.callOptions];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((name): Finding[] => {
    if (old[name] === now[name]) return [];
    return [{ rule: 'call-changed', place: `call.${name}`, before: old[name], after: now[name], pointer: ['request'] }];
  });
}
