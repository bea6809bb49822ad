/** Measures work in CPU time, which other programs of the machine do not lengthen. */

/** Returns the milliseconds of CPU time that the process has used since the call. */
export function startCpuClock(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
}
