/** The words of a name: from the operationId without what generators add, or from the path. */

import { type NamedOperation, toMethodWord, toOperationWords } from '../../words/operation-words.ts';
import { VERBS } from '../../words/verbs.ts';
import { toSingular, toWords } from '../../words/words.ts';
import { inSingular, type PathWords } from './path-words.ts';
import { FILLERS } from './vocabulary.ts';

/** Drops words that a generator, a tag or the prefix repeats. */
export function toBaseWords(operation: NamedOperation, path: PathWords, prefix: readonly string[]): readonly string[] {
  const words = toOperationWords(operation);
  if (hasNoName(operation) || isPath(words, operation, path)) {
    return withoutPrefix(toPathName(operation, path), prefix);
  }
  return withoutPrefix(withoutTag(withoutDoubles(withoutSuffixes(words, operation))), prefix);
}

/**
 * True if there is no operationId, or one without words: letters other than ASCII, or a number such as
 * `5476364f031f5909e4fe3316`.
 */
function hasNoName({ id }: NamedOperation): boolean {
  return id === null || toWords(id).length === 0 || /^[0-9a-f-]{16,}$/i.test(id);
}

/** `list_customers`, `create_customer`, `get_customer` for what generators call `get_v1_customers` etc. */
function toPathName(operation: NamedOperation, path: PathWords): readonly string[] {
  const method = toMethodWord(operation.method);
  const words = path.resource.length > 0 ? path.resource : path.parameter;
  if (path.leadsTo === 'many' && method === 'get') return ['list', ...words];
  if (path.leadsTo === 'many' && method === 'post') return ['create', ...inSingular(words)];
  return [method, ...words];
}

/** True if an operationId is only the method and the path, in any spelling. */
function isPath(words: readonly string[], operation: NamedOperation, { version, all, fixed }: PathWords): boolean {
  const method = toMethodWord(operation.method);
  let text = '';
  if (words[0] === method) text = words.slice(1).join('');
  else if (words.at(-1) === method) text = words.slice(0, -1).join('');
  if (text === '') return false;
  const fullPath = toWords(operation.path).join('');
  const fixedPath = fixed.join('');
  const isPathText = [all.join(''), `${version.join('')}${all.join('')}`, fullPath].includes(text);
  return isPathText || (text === fixedPath && (method === 'post' || all.length > fixed.length));
}

/** Without the path and method that FastAPI, or the method that springdoc, appends to a function's name. */
function withoutSuffixes(words: readonly string[], operation: NamedOperation): readonly string[] {
  const method = toMethodWord(operation.method);
  const generated = [...toWords(operation.path), method];
  const functionWords = words.slice(0, -generated.length);
  if (functionWords.length > 0 && words.slice(functionWords.length).join(' ') === generated.join(' '))
    return functionWords;
  const using = words.lastIndexOf('using');
  const isSpring =
    using > 0 && /^using [a-z]+(?: \d+)?$/.test(words.slice(using).join(' ')) && words[using + 1] === method;
  return isSpring ? words.slice(0, using) : words;
}

function withoutDoubles(words: readonly string[]): readonly string[] {
  const meaningfulWords = words.filter((word) => word !== 'controller');
  return (meaningfulWords.length > 0 ? meaningfulWords : words).filter((word, index, all) => word !== all[index - 1]);
}

/** Without leading words that the name repeats as its object: `pets_list_pets`, but not `users_list_for_user`. */
function withoutTag(words: readonly string[]): readonly string[] {
  const [first, ...rest] = words;
  if (first === undefined || rest.length < 2 || VERBS.has(first)) return words;
  const isRepeated = rest.some(
    (word, index) => index > 0 && toSingular(word) === toSingular(first) && !FILLERS.has(rest[index - 1] ?? ''),
  );
  return isRepeated ? withoutTag(rest) : words;
}

/** Without leading words that repeat the end of the prefix, as one word or several. */
function withoutPrefix(words: readonly string[], prefix: readonly string[]): readonly string[] {
  for (let length = Math.min(3, words.length - 1); length > 0; length -= 1) {
    const head = words.slice(0, length).join('');
    if (prefix.some((_, index) => prefix.slice(index).join('') === head)) return words.slice(length);
  }
  return words;
}
