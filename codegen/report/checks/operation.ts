/** The request of a call (method, path, base URL and everything that every call sends), its hints, and hand-written code. */

import { isSame } from '../../json.ts';
import { effectEvidence, effectOf } from '../effect.ts';
import { callOf } from '../texts.ts';
import type { Finding, SentValue, ToolSurface } from '../types.ts';
import { addressesOf, argumentNames, isVersion, renamedArguments } from './arguments.ts';

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
    const isNames = member === 'path' && toShape(old.path) === toShape(now.path);
    const namesOnlyNote = isNames ? { note: 'only names of parameters, which are not sent', group: 'names' } : {};
    findings.push({
      rule,
      place,
      before: old[member],
      after: now[member],
      pointer: ['operation', member],
      ...namesOnlyNote,
    });
  };
  compare('method', READS.has(old.method) && !READS.has(now.method) ? 'method-writes' : 'method-changed');
  compare('path', 'path-changed');
  compare('server', 'server-changed');
  compare('id', 'operation-id-changed');
  return findings;
}

function toShape(path: string): string {
  return path.replaceAll(/\{[^}]*\}/g, '{}');
}

/** Compares where arguments and fixed values are sent, and how they are written there. */
export function checkCall(before: ToolSurface, after: ToolSurface): Finding[] {
  return [
    ...checkArgumentAddresses(before, after),
    ...checkFixedValues(before, after),
    ...checkCredentials(before, after),
    ...checkStyles(before, after),
    ...checkBodyType(before, after),
    ...checkCallOptions(before, after),
  ];
}

function checkArgumentAddresses(before: ToolSurface, after: ToolSurface): Finding[] {
  const renamed = renamedArguments(before, after);
  const now = argumentNames(after);
  return argumentNames(before).flatMap((name): Finding[] => {
    const newName = renamed.get(name) ?? name;
    if (!now.includes(newName)) return [];
    const [oldAddresses, newAddresses] = [addressesOf(before, name), addressesOf(after, newName)];
    if (isSame(oldAddresses, newAddresses)) return [];
    const place = `call.${newName}`;
    return [
      { rule: 'argument-sent-elsewhere', place, before: oldAddresses, after: newAddresses, pointer: ['request'] },
    ];
  });
}

function checkFixedValues(before: ToolSurface, after: ToolSurface): Finding[] {
  const rule = after.annotations.readOnlyHint === true ? 'fixed-value-changed' : 'fixed-value-of-write-changed';
  return compareSent(before, after, rule, (sentValue) => (sentValue.kind === 'constant' ? sentValue.value : undefined));
}

/** Parts of the credential in paths and bodies; the connector's rules cover the others. */
function checkCredentials(before: ToolSurface, after: ToolSurface): Finding[] {
  return compareSent(before, after, 'credential-moved', (sentValue) =>
    sentValue.kind === 'credential' ? sentValue.id : undefined,
  );
}

/** Compares what is sent to each address, for the kinds that `read` knows. */
function compareSent(
  before: ToolSurface,
  after: ToolSurface,
  rule: Finding['rule'],
  read: (sentValue: SentValue) => unknown,
): Finding[] {
  const valuesOf = ({ sends }: ToolSurface): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(sends).flatMap(([address, sentValue]) => {
        const value = read(sentValue);
        return value === undefined ? [] : [[address, value]];
      }),
    );
  const [old, now] = [valuesOf(before), valuesOf(after)];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((address): Finding[] => {
    if (isSame(old[address], now[address])) return [];
    const values = { before: old[address], after: now[address], pointer: ['request'] };
    return [{ rule: isVersion(address) ? 'version-changed' : rule, place: `call.${address}`, ...values }];
  });
}

/** Compares parameters that both sides send; other rules report added and removed ones. */
function checkStyles(before: ToolSurface, after: ToolSurface): Finding[] {
  const isSent = ({ sends }: ToolSurface, address: string) =>
    Object.keys(sends).some(
      (sentAddress) =>
        sentAddress === address ||
        sentAddress.startsWith(`${address}[`) ||
        (sentAddress === 'body' && address.startsWith('body.')),
    );
  const addresses = new Set([...Object.keys(before.styles), ...Object.keys(after.styles)]);
  return [...addresses].flatMap((address): Finding[] => {
    const [oldStyle, newStyle] = [before.styles[address] ?? PLAIN, after.styles[address] ?? PLAIN];
    if (oldStyle === newStyle || !isSent(before, address) || !isSent(after, address)) return [];
    return [
      { rule: 'style-changed', place: `call.${address}`, before: oldStyle, after: newStyle, pointer: ['request'] },
    ];
  });
}

/** Compares calls that have a body on both sides. */
function checkBodyType({ bodyType: oldType }: ToolSurface, { bodyType: newType }: ToolSurface): Finding[] {
  if (oldType === null || newType === null || oldType === newType) return [];
  return [{ rule: 'body-type-changed', place: 'call.body', before: oldType, after: newType, pointer: ['request'] }];
}

function checkCallOptions(before: ToolSurface, after: ToolSurface): Finding[] {
  const [old, now] = [before.callOptions, after.callOptions];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((name): Finding[] => {
    if (old[name] === now[name]) return [];
    return [{ rule: 'call-changed', place: `call.${name}`, before: old[name], after: now[name], pointer: ['request'] }];
  });
}

/** Compares the statuses of success that the descriptors give. */
export function checkSuccessStatuses(before: ToolSurface, after: ToolSurface): Finding[] {
  const [old, now] = [before.successStatuses, after.successStatuses];
  if (old === undefined || now === undefined || isSame(old, now)) return [];
  const onlyBegins = now.includes('202') && !old.includes('202') && after.members.wait === undefined;
  const rule = onlyBegins ? 'work-only-begun' : 'success-status-changed';
  return [{ rule, place: 'output.status', before: old.join(', '), after: now.join(', '), pointer: ['outputSchema'] }];
}

/** A tool that became hand-written or stopped being so, calls other tools, or runs other code. */
export function checkHandWritten(before: ToolSurface, after: ToolSurface): Finding[] {
  const reads = after.annotations.readOnlyHint === true;
  if ((before.operation === null) !== (after.operation === null)) {
    const rule = reads ? 'code-changed' : 'code-of-write-changed';
    return [{ rule, place: 'operation', before: callOf(before), after: callOf(after) }];
  }
  const [old, now] = [before.members, after.members];
  const findings: Finding[] = [];
  if (!isSame(old.uses, now.uses)) {
    findings.push({ rule: 'uses-changed', place: 'uses', before: old.uses, after: now.uses, pointer: ['uses'] });
  }
  if (old.code !== now.code) {
    const rule = reads ? 'code-changed' : 'code-of-write-changed';
    findings.push({ rule, place: 'code', before: old.code, after: now.code, pointer: ['code'] });
  }
  return findings;
}

/** The value of each hint that makes a host less careful. */
const RELAXED: Readonly<Record<string, boolean>> = { idempotentHint: true, openWorldHint: false };

/** Hints that say the effect together; `checkEffect` compares it. */
const EFFECT_HINTS: ReadonlySet<string> = new Set(['readOnlyHint', 'destructiveHint']);

/** A changed effect is one decision for each tool, whichever hints changed with it. */
export function checkEffect(before: ToolSurface, after: ToolSurface): Finding[] {
  const [old, now] = [effectOf(before), effectOf(after)];
  const evidence = effectEvidence(after);
  const isNewlyInferred = evidence !== null && effectEvidence(before) === null;
  if (old === now && !isNewlyInferred) return [];
  const change = { place: 'effect', before: old, after: now, pointer: ['annotations'], group: after.name };
  const finding: Finding = { rule: toEffectRule(old, now), ...change };
  return [evidence === null ? finding : { ...finding, note: evidence }];
}

function toEffectRule(old: string, now: string): Finding['rule'] {
  if (old === now) return 'effect-inferred';
  return old === 'reads' ? 'read-tool-writes' : 'effect-changed';
}

export function checkHints(before: ToolSurface, after: ToolSurface): Finding[] {
  const [old, now] = [before.annotations, after.annotations];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((hint): Finding[] => {
    if (old[hint] === now[hint] || EFFECT_HINTS.has(hint)) return [];
    const change = {
      place: `annotations.${hint}`,
      before: old[hint],
      after: now[hint],
      pointer: ['annotations', hint],
    };
    return [{ rule: now[hint] === RELAXED[hint] ? 'hint-relaxed' : 'hint-tightened', ...change }];
  });
}
