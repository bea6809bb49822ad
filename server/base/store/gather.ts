/** Batches concurrent lookups into one statement. */

/**
 * Creates a lookup of one key from a lookup of many.
 *
 * A key waits until all input that arrived with it has been read. Each key is looked up after that: the answer never
 * comes from a query that was already running.
 *
 * @param find returns the existing entries by key. An error it throws goes to every waiting caller.
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
