/** The gateway's checks before a call, the user's approval, and the paging after one. */

import type { AgreementRule } from '../../../server/contract/index.ts';
import { isSame } from '../../json.ts';
import type { Finding, ToolSurface } from '../types.ts';
import { argumentNames } from './arguments.ts';

export function checkBeforeCall(before: ToolSurface, after: ToolSurface): Finding[] {
  return [
    ...checkPathArguments(before, after),
    ...checkReservedSegments(before, after),
    ...checkAgreements(before, after),
    ...checkIdempotency(before, after),
    ...checkPaging(before, after),
    ...checkApproval(before, after),
  ];
}

/** Arguments that become path segments are refused if they are empty, `.` or `..`. */
function checkPathArguments(before: ToolSurface, after: ToolSurface): Finding[] {
  const [old, now] = [before.pathArguments, after.pathArguments];
  const finding = (rule: Finding['rule'], name: string, isChecked: boolean): Finding => ({
    rule,
    place: `pathArguments.${name}`,
    before: !isChecked,
    after: isChecked,
    pointer: ['request', 'path'],
  });
  const offeredAfter = argumentNames(after);
  const offeredBefore = argumentNames(before);
  return [
    ...old
      .filter((name) => !now.includes(name) && offeredAfter.includes(name))
      .map((name) => finding('check-dropped', name, false)),
    ...now
      .filter((name) => !old.includes(name) && offeredBefore.includes(name))
      .map((name) => finding('check-added', name, true)),
  ];
}

/** Path arguments are refused if they equal a literal segment of another path. */
function checkReservedSegments(before: ToolSurface, after: ToolSurface): Finding[] {
  const [old, now] = [reservedOf(before), reservedOf(after)];
  const names = argumentNames(after).filter((name) => argumentNames(before).includes(name));
  return names.flatMap((name): Finding[] => {
    const [oldWords = [], newWords = []] = [old[name], now[name]];
    if (isSame(oldWords, newWords)) return [];
    const rule = oldWords.every((word) => newWords.includes(word)) ? 'check-added' : 'check-dropped';
    return [
      { rule, place: `reservedSegments.${name}`, before: oldWords, after: newWords, pointer: ['reservedSegments'] },
    ];
  });
}

function reservedOf({ members }: ToolSurface): Readonly<Record<string, readonly string[]>> {
  return (members.reservedSegments ?? {}) as Readonly<Record<string, readonly string[]>>;
}

function checkAgreements(before: ToolSurface, after: ToolSurface): Finding[] {
  const [old, now] = [agreementsOf(before), agreementsOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name): Finding[] => {
    const [oldTemplate, newTemplate] = [old.get(name), now.get(name)];
    if (oldTemplate === newTemplate) return [];
    const rule =
      oldTemplate === undefined ? 'agreement-added' : newTemplate === undefined ? 'check-dropped' : 'agreement-changed';
    return [{ rule, place: `agreements.${name}`, before: oldTemplate, after: newTemplate, pointer: ['agreements'] }];
  });
}

function checkIdempotency(before: ToolSurface, after: ToolSurface): Finding[] {
  const [old, now] = [before.members.idempotency, after.members.idempotency];
  if (isSame(old ?? null, now ?? null)) return [];
  const rule = now === undefined ? 'idempotency-dropped' : 'idempotency-changed';
  return [{ rule, place: 'idempotency', before: old, after: now, pointer: ['idempotency'] }];
}

function checkPaging(before: ToolSurface, after: ToolSurface): Finding[] {
  const [old, now] = [before.members.page, after.members.page];
  if (isSame(old ?? null, now ?? null)) return [];
  return [
    { rule: 'paging-changed', place: 'page', before: old ?? undefined, after: now ?? undefined, pointer: ['page'] },
  ];
}

/** Compares the parts of a tool that a rule about approvals depends on. */
function checkApproval(before: ToolSurface, after: ToolSurface): Finding[] {
  return (['effect', 'approval', 'preview', 'wait'] as const).flatMap((name): Finding[] => {
    const [old, now] = [before.members[name], after.members[name]];
    if (isSame(old ?? null, now ?? null)) return [];
    const rule =
      name === 'wait'
        ? 'wait-changed'
        : old === undefined || name === 'preview'
          ? 'approval-changed'
          : 'approval-dropped';
    return [{ rule, place: name, before: old, after: now, pointer: [name] }];
  });
}

function agreementsOf({ members }: ToolSurface): ReadonlyMap<string, string> {
  const list = Array.isArray(members.agreements) ? (members.agreements as AgreementRule[]) : [];
  return new Map(list.map(({ argument, template }) => [argument, template]));
}
