/** The gateway's checks of arguments before a call. */

import type { AgreementRule } from '../../../server/contract/index.ts';
import { ifChanged, namesInEither } from '../finding.ts';
import type { Finding, ToolSurface } from '../types.ts';
import { argumentNames } from './arguments.ts';

export function checkBeforeCall(before: ToolSurface, after: ToolSurface): Finding[] {
  return [
    ...checkPathArguments(before, after),
    ...checkReservedSegments(before, after),
    ...checkAgreements(before, after),
  ];
}

/** Arguments that become path segments are refused if they are empty, `.` or `..`. */
function checkPathArguments(before: ToolSurface, after: ToolSurface): Finding[] {
  return sharedArguments(before, after).flatMap((name) => {
    const [wasChecked, isChecked] = [before, after].map(({ pathArguments }) => pathArguments.includes(name));
    return ifChanged({
      rule: isChecked ? 'check-added' : 'check-dropped',
      place: `pathArguments.${name}`,
      before: wasChecked,
      after: isChecked,
      pointer: ['request', 'path'],
    });
  });
}

/** Path arguments are refused if they equal a literal segment of another path. */
function checkReservedSegments(before: ToolSurface, after: ToolSurface): Finding[] {
  const [old, now] = [reservedOf(before), reservedOf(after)];
  return sharedArguments(before, after).flatMap((name) => {
    const [oldWords = [], newWords = []] = [old[name], now[name]];
    return ifChanged({
      rule: oldWords.every((word) => newWords.includes(word)) ? 'check-added' : 'check-dropped',
      place: `reservedSegments.${name}`,
      before: oldWords,
      after: newWords,
      pointer: ['reservedSegments'],
    });
  });
}

function sharedArguments(before: ToolSurface, after: ToolSurface): string[] {
  const namesBefore = argumentNames(before);
  return argumentNames(after).filter((name) => namesBefore.includes(name));
}

function reservedOf({ members }: ToolSurface): Readonly<Record<string, readonly string[]>> {
  return (members.reservedSegments ?? {}) as Readonly<Record<string, readonly string[]>>;
}

function checkAgreements(before: ToolSurface, after: ToolSurface): Finding[] {
  const [old, now] = [agreementsOf(before), agreementsOf(after)];
  return namesInEither(old, now).flatMap((name) => {
    const isDropped = now[name] === undefined;
    return ifChanged({
      rule: old[name] === undefined ? 'agreement-added' : isDropped ? 'check-dropped' : 'agreement-changed',
      place: `agreements.${name}`,
      before: old[name],
      after: now[name],
      pointer: ['agreements'],
    });
  });
}

function agreementsOf({ members }: ToolSurface): Readonly<Record<string, string>> {
  const list = Array.isArray(members.agreements) ? (members.agreements as AgreementRule[]) : [];
  return Object.fromEntries(list.map(({ argument, template }) => [argument, template]));
}
