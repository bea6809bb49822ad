/** Reads a descriptor and everything that it refers to, once each, under names that codegen's bundler accepts. */

import { hash } from 'node:crypto';
import path from 'node:path';
import type { RefusedFiles, ServiceFiles } from '../../../codegen/load/files.ts';
import { readReference } from '../../../codegen/load/reference.ts';
import { type Survey, surveyDocument } from '../../../codegen/load/survey.ts';
import { parseSource, type Source } from '../../../codegen/load/text/source.ts';
import { isUrl } from '../source.ts';
import { liftMappings } from './mappings.ts';
import { type DocumentId, NotFollowedError, type Opener } from './open.ts';

const EMPTY_SURVEY: Survey = { references: [], ids: [], faults: [], notNumbers: [] };
/** Prefix of the names of fetched files. */
const FETCHED = '@fetched';
/** Name of the descriptor: the bundler treats it as a file at the root. */
const DESCRIPTOR = '@descriptor';

/** Files that are read at the same time. */
const CONCURRENCY = 8;

/** A text that has been read, such as the descriptor. */
export interface Read {
  readonly documentId: DocumentId;
  readonly text: string;
  readonly extension: 'json' | 'yaml';
}

/** The text that replaces a reference that cannot be followed in the bundled document. */
interface Replacement {
  readonly ref: string;
  /** Recorded next to the reference. Undefined if the descriptor is to blame: codegen then says what is wrong. */
  readonly reason?: string;
}

/** A reference that was not followed. */
export interface Unfollowed {
  readonly location: string;
  readonly reason: string;
  /** True if the gateway did not open it; false if the descriptor names something that does not exist. */
  readonly isRefusal: boolean;
}

export interface CollectedFiles {
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
  readonly replacements: ReadonlyMap<string, Replacement>;
  /** Each distinct reference that was not followed. */
  readonly unfollowed: readonly Unfollowed[];
  /** SHA-256 by URL of what was fetched in addition to the descriptor. */
  readonly fetched: ReadonlyMap<string, string>;
}

interface GatherRules {
  /** Real path of the folder that files are named relative to. Null if only addresses are read. */
  readonly rootFolder: string | null;
  /** Called after each file, with the number of files so far. */
  readonly onRead: (count: number) => void;
}

/** Follows the references breadth-first. Does not throw: what cannot be read is in `unfollowed`. */
export async function gather(descriptor: Read, opener: Opener, rules: GatherRules): Promise<CollectedFiles> {
  return new Gatherer(descriptor.documentId, opener, rules).gather(descriptor);
}

class Gatherer {
  readonly #opener: Opener;
  readonly #rules: GatherRules;
  readonly #files = new Map<string, Source & { survey: Survey }>();
  readonly #refused = new Map<string, { code: 'reference-unresolved'; message: string }>();
  readonly #replacements = new Map<string, Replacement>();
  readonly #unfollowed = new Map<string, Unfollowed>();
  readonly #fetched = new Map<string, string>();
  readonly #names: Map<DocumentId, string>;
  readonly #failures = new Map<DocumentId, Unfollowed>();
  #read = 0;

  constructor(descriptor: DocumentId, opener: Opener, rules: GatherRules) {
    this.#opener = opener;
    this.#rules = rules;
    this.#names = new Map([[descriptor, DESCRIPTOR]]);
  }

  async gather(descriptor: Read): Promise<CollectedFiles> {
    let level: readonly OpenedFile[] = [this.#add(descriptor)];
    while (level.length > 0) {
      const targets = await this.#resolveLevel(level);
      const next = await this.#openLevel(targets.values());
      for (const file of level) this.#rename(file, targets);
      level = next;
    }
    return {
      name: DESCRIPTOR,
      files: this.#files,
      refused: this.#refused,
      replacements: this.#replacements,
      unfollowed: [...this.#unfollowed.values()],
      fetched: this.#fetched,
    };
  }

  #nameOf(documentId: DocumentId): string {
    const existing = this.#names.get(documentId);
    if (existing !== undefined) return existing;
    const name = isUrl(documentId)
      ? `${FETCHED}/${hash('sha256', documentId).slice(0, 12)}/${path.posix.basename(new URL(documentId).pathname) || 'index'}`
      : path.relative(this.#rules.rootFolder ?? path.dirname(documentId), documentId).replaceAll(path.sep, '/');
    this.#names.set(documentId, name);
    return name;
  }

  #add({ documentId, text, extension }: Read): OpenedFile {
    const name = this.#nameOf(documentId);
    const source = parseSource(extension === 'json' ? `${name}.json` : name, text, { isTolerant: true });
    if (source.faults.length === 0) liftMappings(source.value, name === DESCRIPTOR);
    const survey = source.faults.length === 0 ? surveyDocument(source.value) : EMPTY_SURVEY;
    for (const { holder } of survey.ids) delete holder.$id;
    const fault = source.faults[0] ?? survey.faults[0];
    if (fault !== undefined) this.#refused.set(name, { code: 'reference-unresolved', message: fault.message });
    this.#files.set(name, { ...source, survey });
    return { documentId, name, survey };
  }

  /** Resolves what a level of files refers to, in the order of the text. */
  async #resolveLevel(level: readonly OpenedFile[]): Promise<ReadonlyMap<string, DocumentId | Unfollowed>> {
    const targets = new Map<string, DocumentId | Unfollowed>();
    for (const { documentId: from, name, survey } of level) {
      for (const { ref, isData } of survey.references) {
        const [location] = splitReference(ref);
        const key = toTargetKey(name, location);
        if (isData || location === '' || targets.has(key)) continue;
        targets.set(key, await this.#opener.resolve(location, from).catch((error) => toUnfollowed(location, error)));
      }
    }
    return targets;
  }

  /** Reads the places of a level that no earlier level read. */
  async #openLevel(targets: Iterable<DocumentId | Unfollowed>): Promise<readonly OpenedFile[]> {
    const admitted: DocumentId[] = [];
    for (const documentId of new Set(targets)) {
      if (typeof documentId !== 'string' || this.#names.has(documentId)) continue;
      this.#nameOf(documentId);
      try {
        this.#opener.admit(documentId);
        admitted.push(documentId);
      } catch (error) {
        this.#failures.set(documentId, toUnfollowed(documentId, error));
      }
    }
    const next: OpenedFile[] = [];
    for (const result of await mapConcurrently(admitted, CONCURRENCY, (documentId) => this.#open(documentId))) {
      if ('reason' in result) this.#failures.set(result.location, result);
      else {
        if (isUrl(result.documentId)) this.#fetched.set(result.documentId, hash('sha256', result.text));
        next.push(this.#add(result));
      }
    }
    return next;
  }

  async #open(documentId: DocumentId): Promise<Read | Unfollowed> {
    try {
      const { text, extension } = await this.#opener.open(documentId);
      this.#read += 1;
      this.#rules.onRead(this.#read);
      return { documentId, text, extension };
    } catch (error) {
      return toUnfollowed(documentId, error);
    }
  }

  /** Makes the references of a file name the files that were read. */
  #rename(file: OpenedFile, targets: ReadonlyMap<string, DocumentId | Unfollowed>): void {
    const references = file.survey.references.map((reference) => {
      const [location, fragment] = splitReference(reference.ref);
      const pointer = `${file.name}#${reference.pointer}`;
      if (reference.isData || location === '') {
        const isOfDescriptor = file.name === DESCRIPTOR;
        this.#replacements.set(pointer, { ref: isOfDescriptor ? reference.ref : toMissing(file.name, fragment) });
        return reference;
      }
      const target = targets.get(toTargetKey(file.name, location));
      const failure = typeof target === 'string' ? this.#failures.get(target) : target;
      const name =
        typeof target === 'string' && failure === undefined
          ? this.#nameOf(target)
          : this.#leave(location, failure ?? NOT_READ);
      this.#replacements.set(pointer, toReplacement(reference.ref, name, failure));
      const ref = `${encode(path.posix.relative(path.posix.dirname(file.name), name))}${fragment}`;
      Object.assign(reference.holder, { $ref: ref });
      return { ...reference, ref };
    });
    const source = this.#files.get(file.name);
    if (source !== undefined) this.#files.set(file.name, { ...source, survey: { ...file.survey, references } });
  }

  /** Notes a reference that is not followed. Returns the name of a file that does not exist. */
  #leave(location: string, { reason, isRefusal }: { readonly reason: string; readonly isRefusal: boolean }): string {
    this.#unfollowed.set(location, { location, reason, isRefusal });
    const name = `@missing/${this.#refused.size}`;
    this.#refused.set(name, { code: 'reference-unresolved', message: reason });
    return name;
  }
}

function toReplacement(ref: string, name: string, failure: Unfollowed | undefined): Replacement {
  if (failure === undefined) return { ref: toMissing(name, splitReference(ref)[1]) };
  const harmless = toHarmless(ref);
  return failure.isRefusal ? { ref: harmless, reason: failure.reason } : { ref: harmless };
}

/** A file that was read, whose references are followed next. */
interface OpenedFile {
  readonly documentId: DocumentId;
  readonly name: string;
  readonly survey: Survey;
}

const NOT_READ = { reason: 'it was not read', isRefusal: true };

/** The reason names no address, so that the same reason of several files can be counted. */
function toUnfollowed(location: string, error: unknown): Unfollowed {
  const message = error instanceof Error ? error.message : String(error);
  const reason = message.replaceAll(location, 'it').replace(/\.$/, '');
  return { location, reason, isRefusal: error instanceof NotFollowedError || isUrl(location) };
}

function toTargetKey(file: string, location: string): string {
  return `${file}\n${location}`;
}

/** Runs the function for every item, several at the same time, and returns the results in the order of the items. */
async function mapConcurrently<T, R>(
  items: readonly T[],
  concurrency: number,
  run: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await run(item);
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return results;
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
