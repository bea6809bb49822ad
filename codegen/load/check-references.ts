/** Rule: every `$ref` resolves. */

import { member, pointerTokens } from '../json-pointer.ts';
import type { RefusedFiles, ServiceFiles } from './files.ts';
import { BROKEN_REFERENCE, type BrokenReference, UNFOLLOWED_REASON, WAS_NOT_READ } from './openapi/types.ts';
import { readReference } from './reference.ts';

/** A longer chain of references is treated as a cycle. */
const MAX_HOPS = 100;

type ReferenceFault = Omit<BrokenReference, 'origin'>;

/**
 * Replaces every `$ref` that cannot be resolved by its fault (`BROKEN_REFERENCE`), so that the files can still be
 * bundled and only operations that reach the place are lost. Recursive schemas are fine; references that only lead to
 * each other are not.
 *
 * @returns the files, with surveys that lack these references
 */
export function replaceBrokenReferences(files: ServiceFiles, refused: RefusedFiles): ServiceFiles {
  const broken = new Map<object, BrokenReference>();
  for (const [name, { survey }] of files) {
    for (const { ref, holder, pointer, isData } of survey.references) {
      const fault = isData
        ? null
        : (findRefusal(ref, holder) ?? findFault(files, refused, { file: name, ref, holder }));
      if (fault !== null) broken.set(holder, { ...fault, origin: { file: name, pointer } });
    }
  }
  for (const [holder, fault] of broken) {
    for (const key of Object.keys(holder)) delete (holder as Record<string, unknown>)[key];
    Object.assign(holder, { [BROKEN_REFERENCE]: fault });
  }
  if (broken.size === 0) return files;
  return new Map(
    [...files].map(([name, file]) => {
      const references = file.survey.references.filter(({ holder }) => !broken.has(holder));
      return [name, { ...file, survey: { ...file.survey, references } }];
    }),
  );
}

/** The fault of a reference that `utg add` did not follow; null for any other. */
function findRefusal(ref: string, holder: object): ReferenceFault | null {
  const reason = member(holder, UNFOLLOWED_REASON);
  if (typeof reason !== 'string') return null;
  return { code: 'reference-unresolved', message: `$ref ${JSON.stringify(ref)} ${WAS_NOT_READ}: ${reason}.` };
}

/**
 * The fault of a reference, or null. A fault at the end of a chain is reported there only, unless the chain is a cycle.
 */
function findFault(
  files: ServiceFiles,
  refused: RefusedFiles,
  { file, ref, holder }: { readonly file: string; readonly ref: string; readonly holder: object },
): ReferenceFault | null {
  const quotedRef = JSON.stringify(ref);
  const unresolved = (why: string): ReferenceFault => ({
    code: 'reference-unresolved',
    message: `$ref ${quotedRef} ${why}.`,
  });
  let hops = 0;
  let isInCircle = false;
  const resolve = (from: string, reference: string): { file: string; value: unknown } | ReferenceFault => {
    hops += 1;
    if (hops > MAX_HOPS) return unresolved('leads in a circle');
    const target = readReference(reference, from);
    if ('refused' in target) return { code: target.refused, message: target.message };
    if (target.pointer === null) return unresolved('is not a JSON pointer; anchors are not supported');
    const reason = refused.get(target.file);
    if (reason !== undefined) return { code: reason.code, message: `$ref ${quotedRef}: ${reason.message}` };
    let node = { file: target.file, value: files.get(target.file)?.value };
    for (const token of pointerTokens(target.pointer)) {
      const owner = followReferences(node);
      if ('code' in owner) return owner;
      const value = member(owner.value, token);
      if (value === undefined)
        return unresolved(`leads nowhere: there is no ${JSON.stringify(token)} in ${target.file}`);
      node = { file: owner.file, value };
    }
    return node;
  };
  const followReferences = (node: {
    file: string;
    value: unknown;
  }): { file: string; value: unknown } | ReferenceFault => {
    const next = member(node.value, '$ref');
    if (typeof next !== 'string') return node;
    isInCircle ||= node.value === holder;
    const target = resolve(node.file, next);
    return 'code' in target ? target : followReferences(target);
  };
  const target = resolve(file, ref);
  if ('code' in target) return target;
  const end = followReferences(target);
  return 'code' in end && isInCircle ? end : null;
}
