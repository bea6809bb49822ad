/** The request of a call (method, path, base URL and everything that every call sends), its hints, and hand-written code. */

import { wordSet } from '../../word-set.ts';
import { effectEvidence, effectOf } from '../effect.ts';
import { compareMember, ifChanged, namesInEither } from '../finding.ts';
import { callOf } from '../texts.ts';
import type { Finding, SentValue, ToolSurface } from '../types.ts';
import { addressesOf, argumentNames, isVersion } from './arguments.ts';

/** The style of a parameter that is one plain value. */
const PLAIN = 'one plain value';

const READS = wordSet('GET HEAD OPTIONS QUERY TRACE');

export function checkOperation(before: ToolSurface, after: ToolSurface): Finding[] {
  const [old, now] = [before.operation, after.operation];
  if (old === null || now === null) return [];
  const rules = {
    method: READS.has(old.method) && !READS.has(now.method) ? 'method-writes' : 'method-changed',
    path: 'path-changed',
    server: 'server-changed',
    id: 'operation-id-changed',
  } as const;
  const namesOnly = { note: 'only names of parameters, which are not sent', group: 'names' };
  return (['method', 'path', 'server', 'id'] as const).flatMap((member) =>
    ifChanged({
      rule: rules[member],
      place: `operation.${member}`,
      before: old[member],
      after: now[member],
      pointer: ['operation', member],
      ...(member === 'path' && toShape(old.path) === toShape(now.path) ? namesOnly : {}),
    }),
  );
}

function toShape(path: string): string {
  return path.replaceAll(/\{[^}]*\}/g, '{}');
}

/** Compares where arguments and fixed values are sent, and how they are written there. */
export function checkCall(before: ToolSurface, after: ToolSurface): Finding[] {
  return [
    ...checkArgumentAddresses(before, after),
    ...checkSentValues(before, after),
    ...checkStyles(before, after),
    ...checkBodyType(before, after),
    ...checkCallOptions(before, after),
  ];
}

function checkArgumentAddresses(before: ToolSurface, after: ToolSurface): Finding[] {
  const now = argumentNames(after);
  return argumentNames(before).flatMap((name) => {
    if (!now.includes(name)) return [];
    const addresses = { before: addressesOf(before, name), after: addressesOf(after, name) };
    return ifChanged({ rule: 'argument-sent-elsewhere', place: `call.${name}`, ...addresses, pointer: REQUEST });
  });
}

const REQUEST = ['request'];

/** Values that every call sends, and parts of the credential in paths and bodies; the connector's rules cover the others. */
function checkSentValues(before: ToolSurface, after: ToolSurface): Finding[] {
  const rule = after.annotations.readOnlyHint === true ? 'fixed-value-changed' : 'fixed-value-of-write-changed';
  return [
    ...compareSent(before, after, rule, (sent) => (sent.kind === 'constant' ? sent.value : undefined)),
    ...compareSent(before, after, 'credential-moved', (sent) => (sent.kind === 'credential' ? sent.id : undefined)),
  ];
}

/** Compares what is sent to each address, for the kinds that `read` knows. */
function compareSent(
  { sends: old }: ToolSurface,
  { sends: now }: ToolSurface,
  rule: Finding['rule'],
  read: (sentValue: SentValue) => unknown,
): Finding[] {
  const readSent = (sentValue: SentValue | undefined) => (sentValue === undefined ? undefined : read(sentValue));
  return namesInEither(old, now).flatMap((address) =>
    ifChanged({
      rule: isVersion(address) ? 'version-changed' : rule,
      place: `call.${address}`,
      before: readSent(old[address]),
      after: readSent(now[address]),
      pointer: REQUEST,
    }),
  );
}

/** Compares parameters that both sides send; other rules report those that one side alone sends, or in the whole body. */
function checkStyles(before: ToolSurface, after: ToolSurface): Finding[] {
  const isSent = ({ sends }: ToolSurface, address: string) =>
    Object.keys(sends).some((sent) => sent === address || sent.startsWith(`${address}[`));
  const isInWhole = ({ sends }: ToolSurface, address: string) => 'body' in sends && address.startsWith('body.');
  return namesInEither(before.styles, after.styles)
    .filter((address) => [isSent, isInWhole].some((carries) => carries(before, address) && carries(after, address)))
    .flatMap((address) => {
      const styles = { before: before.styles[address] ?? PLAIN, after: after.styles[address] ?? PLAIN };
      return ifChanged({ rule: 'style-changed', place: `call.${address}`, ...styles, pointer: REQUEST });
    });
}

/** Compares calls that have a body on both sides. */
function checkBodyType({ bodyType: before }: ToolSurface, { bodyType: after }: ToolSurface): Finding[] {
  if (before === null || after === null) return [];
  return ifChanged({ rule: 'body-type-changed', place: 'call.body', before, after, pointer: REQUEST });
}

function checkCallOptions({ callOptions: old }: ToolSurface, { callOptions: now }: ToolSurface): Finding[] {
  return namesInEither(old, now).flatMap((name) =>
    ifChanged({
      rule: 'call-changed',
      place: `call.${name}`,
      before: old[name],
      after: now[name],
      pointer: REQUEST,
    }),
  );
}

const NO_STATUS = 'none is named';

/** Compares the statuses of success that the descriptors give. */
export function checkSuccessStatuses(before: ToolSurface, after: ToolSurface): Finding[] {
  const [old, now] = [before.successStatuses, after.successStatuses];
  if (old === undefined || now === undefined) return [];
  const onlyBegins = now.includes('202') && !old.includes('202') && after.members.wait === undefined;
  const rule = onlyBegins ? 'work-only-begun' : 'success-status-changed';
  const statuses = { before: old.join(', ') || NO_STATUS, after: now.join(', ') || NO_STATUS };
  return ifChanged({ rule, place: 'output.status', ...statuses, pointer: ['outputSchema'] });
}

/** A tool that became hand-written or stopped being so, calls other tools, or runs other code. */
export function checkHandWritten(before: ToolSurface, after: ToolSurface): Finding[] {
  const rule = after.annotations.readOnlyHint === true ? 'code-changed' : 'code-of-write-changed';
  if ((before.operation === null) !== (after.operation === null)) {
    return [{ rule, place: 'operation', before: callOf(before), after: callOf(after) }];
  }
  const [old, now] = [before.members, after.members];
  return [...compareMember(old, now, 'uses', 'uses-changed'), ...compareMember(old, now, 'code', rule)];
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

export function checkHints({ annotations: old }: ToolSurface, { annotations: now }: ToolSurface): Finding[] {
  return namesInEither(old, now)
    .filter((hint) => !EFFECT_HINTS.has(hint))
    .flatMap((hint) =>
      ifChanged({
        rule: now[hint] === RELAXED[hint] ? 'hint-relaxed' : 'hint-tightened',
        place: `annotations.${hint}`,
        before: old[hint],
        after: now[hint],
        pointer: ['annotations', hint],
      }),
    );
}
