/** Reads a descriptor and everything that it refers to, once each, under names that codegen's bundler accepts. */

import { hash } from 'node:crypto';
import path from 'node:path';
import type { RefusedFiles, ServiceFiles } from '../../../codegen/load/files.ts';
import { readReference } from '../../../codegen/load/reference.ts';
import { type Survey, surveyDocument } from '../../../codegen/load/survey.ts';
import { parseSource, type Source } from '../../../codegen/load/text/source.ts';
import { isUrl } from '../source.ts';
import { liftMappings } from './mappings.ts';
import type { Opener, Place } from './open.ts';

const NOTHING: Survey = { references: [], ids: [], faults: [], notNumbers: [] };
/** Prefix of the names of fetched files. */
const FETCHED = '@fetched';
/** Name of the descriptor: the bundler treats it as a file at the root. */
const DESCRIPTOR = '@descriptor';

/** A text that has been read, such as the descriptor. */
export interface Read {
  readonly place: Place;
  readonly text: string;
  readonly extension: 'json' | 'yaml';
}

export interface Gathered {
  /** Name of the descriptor in `files`. */
  readonly name: string;
  /** Their `$ref`s use these names. */
  readonly files: ServiceFiles;
  /** Names of files that could not be read. */
  readonly refused: RefusedFiles;
  /**
   * Replacements for references that cannot be followed, by `<name>#<pointer of the holder>`: the original reference, or the name of a
   * missing file if the original would name something else in the folder of a service.
   */
  readonly replacements: ReadonlyMap<string, string>;
  /** Each distinct reference that was not followed, and why. */
  readonly left: ReadonlyMap<string, string>;
  /** SHA-256 by URL of what was fetched in addition to the descriptor. */
  readonly fetched: ReadonlyMap<string, string>;
}

/** Follows the references breadth-first. Does not throw: what cannot be read is in `left`. */
export async function gather(descriptor: Read, opener: Opener, rootFolder: string | null): Promise<Gathered> {
  const files = new Map<string, Source & { survey: Survey }>();
  const refused = new Map<string, { code: 'reference-unresolved'; message: string }>();
  const replacements = new Map<string, string>();
  const left = new Map<string, string>();
  const fetched = new Map<string, string>();
  const names = new Map<Place, string>();

  const nameOf = (place: Place): string => {
    if (names.size === 0) names.set(place, DESCRIPTOR);
    const known = names.get(place);
    if (known !== undefined) return known;
    const name = isUrl(place)
      ? `${FETCHED}/${hash('sha256', place).slice(0, 12)}/${path.posix.basename(new URL(place).pathname) || 'index'}`
      : path.relative(rootFolder ?? path.dirname(place), place).replaceAll(path.sep, '/');
    names.set(place, name);
    return name;
  };
  const add = ({ place, text, extension }: Read): { place: Place; name: string } => {
    const name = nameOf(place);
    const source = parseSource(extension === 'json' ? `${name}.json` : name, text, { isTolerant: true });
    if (source.faults.length === 0) liftMappings(source.value, name === DESCRIPTOR);
    const survey = source.faults.length === 0 ? surveyDocument(source.value) : NOTHING;
    for (const { holder } of survey.ids) delete holder.$id;
    const fault = source.faults[0] ?? survey.faults[0];
    if (fault !== undefined) refused.set(name, { code: 'reference-unresolved', message: fault.message });
    files.set(name, { ...source, survey });
    return { place, name };
  };
  const follow = async (location: string, from: Place): Promise<string> => {
    const place = await opener.resolve(location, from);
    if (names.has(place)) return nameOf(place);
    const { text, extension } = await opener.open(place);
    if (isUrl(place)) fetched.set(place, hash('sha256', text));
    queue.push(add({ place, text, extension }));
    return nameOf(place);
  };

  const queue = [add(descriptor)];
  for (let from = queue.shift(); from !== undefined; from = queue.shift()) {
    const file = files.get(from.name);
    if (file === undefined) continue;
    const references: Survey['references'][number][] = [];
    const targets = new Map<string, string>();
    for (const reference of file.survey.references) {
      const [location = '', fragment] = splitReference(reference.ref);
      const place = `${from.name}#${reference.pointer}`;
      if (reference.isData || location === '') {
        const isOwn = from.name === DESCRIPTOR;
        replacements.set(place, isOwn ? reference.ref : toMissing(from.name, fragment));
        references.push(reference);
        continue;
      }
      let target = targets.get(location);
      if (target === undefined) {
        target = await follow(location, from.place).catch((error: unknown) => {
          const message = error instanceof Error ? error.message : String(error);
          left.set(location, message);
          const missing = `@missing/${refused.size}`;
          refused.set(missing, { code: 'reference-unresolved', message });
          return missing;
        });
        targets.set(location, target);
      }
      const isRead = files.has(target);
      replacements.set(place, isRead ? toMissing(target, fragment) : toHarmless(reference.ref));
      const ref = `${encode(path.posix.relative(path.posix.dirname(from.name), target))}${fragment}`;
      Object.assign(reference.holder, { $ref: ref });
      references.push({ ...reference, ref });
    }
    files.set(from.name, { ...file, survey: { ...file.survey, references } });
  }
  return { name: DESCRIPTOR, files, refused, replacements, left, fetched };
}

/** Splits a reference into the part before the fragment, and the fragment with its `#`. */
function splitReference(ref: string): [string, string] {
  const at = ref.indexOf('#');
  return at === -1 ? [ref, ''] : [ref.slice(0, at), ref.slice(at)];
}

function toHarmless(ref: string): string {
  const target = readReference(ref, DESCRIPTOR);
  return 'refused' in target ? ref : toMissing(target.file, splitReference(ref)[1]);
}

function toMissing(file: string, fragment: string): string {
  return `missing/${encode(file)}${fragment}`;
}

function encode(file: string): string {
  return file.split('/').map(encodeURIComponent).join('/');
}
