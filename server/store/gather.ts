/** Gathers lookups that come at the same time, so that one statement answers all of them. */

/**
 * Creates a lookup of one key from one of many.
 *
 * A key waits until everything has been read that arrived with it. It is always asked for after that, never taken from an
 * answer that was on its way already.
 *
 * @param find what there is, by key. What it throws goes to everyone who waits for it.
 */
export function gatherLookups<Found>(
  find: (keys: readonly string[]) => Promise<ReadonlyMap<string, Found>>,
): (key: string) => Promise<Found | undefined> {
  let gathering: { readonly keys: Set<string>; readonly found: Promise<ReadonlyMap<string, Found>> } | undefined;
  const gather = () => {
    const keys = new Set<string>();
    const found = new Promise<ReadonlyMap<string, Found>>((resolve) => {
      setImmediate(() => {
        gathering = undefined;
        resolve(find([...keys]));
      });
    });
    return { keys, found };
  };
  return async (key) => {
    gathering ??= gather();
    gathering.keys.add(key);
    return (await gathering.found).get(key);
  };
}
