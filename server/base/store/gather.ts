/** Runs at once what arrives in one turn of the event loop. */

/**
 * Creates a function for one item from a function for many.
 *
 * An item waits until all input that arrived with it has been read. It is handled after that: the answer never comes from a run that
 * had already begun.
 *
 * @param run returns the answer for each item. An error it throws goes to every waiting caller.
 */
export function gather<Item, Answer>(
  run: (items: readonly Item[]) => Promise<(item: Item) => Answer>,
): (item: Item) => Promise<Answer> {
  let gathering: { readonly items: Item[]; readonly answers: Promise<(item: Item) => Answer> } | undefined;
  const begin = () => {
    const items: Item[] = [];
    const answers = new Promise<(item: Item) => Answer>((resolve) => {
      setImmediate(() => {
        gathering = undefined;
        resolve(run(items));
      });
    });
    return { items, answers };
  };
  return async (item) => {
    gathering ??= begin();
    gathering.items.push(item);
    return (await gathering.answers)(item);
  };
}
