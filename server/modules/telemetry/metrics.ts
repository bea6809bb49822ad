/** Records metrics, and reads the observed ones. */

import type { Attributes, Meter, Observable } from '@opentelemetry/api';
import type { OpenModule } from '../../module.ts';
import { INSTRUMENTS, type Instrument } from './instruments.ts';
import type { Recorded, RecordedKey } from './recorded.ts';

type Instruments = typeof INSTRUMENTS;
type Key = keyof Instruments;
type Observed = Exclude<Key, RecordedKey>;

/** Reports one value of an observed metric. */
type Report<K extends Observed> = (key: K, value: number, attributes?: Attributes) => void;

/** The metrics of one gateway. */
export interface Metrics {
  /** Adds a value to a counter or a histogram: see `Recorded`. */
  readonly record: Recorded['record'];
  /** Registers a function that reads all of these metrics whenever they are collected. */
  observe<K extends Observed>(keys: readonly K[], read: (report: Report<K>) => void): void;
}

/** Creates the metrics of `INSTRUMENTS`. */
export function createMetrics(meter: Meter, { record }: Recorded): Metrics {
  return {
    record,
    observe(keys, read) {
      const observables = new Map(keys.map((key) => [key, createObservable(meter, INSTRUMENTS[key])]));
      meter.addBatchObservableCallback(
        (result) => {
          read((key, value, attributes) => {
            const observable = observables.get(key);
            if (observable !== undefined) result.observe(observable, value, attributes);
          });
        },
        [...observables.values()],
      );
    },
  };
}

/** Observes the numbers that other modules name. */
export function observeModules(meter: Meter, modules: readonly OpenModule[]): void {
  for (const { name, kind, read, ...words } of modules.flatMap(({ metrics = [] }) => metrics)) {
    const observable =
      kind === 'counter' ? meter.createObservableCounter(name, words) : meter.createObservableGauge(name, words);
    observable.addCallback((result) => result.observe(read()));
  }
}

function createObservable(meter: Meter, instrument: Instrument): Observable {
  switch (instrument.kind) {
    case 'observed counter':
      return meter.createObservableCounter(instrument.name, instrument);
    case 'observed up-down counter':
      return meter.createObservableUpDownCounter(instrument.name, instrument);
    default:
      return meter.createObservableGauge(instrument.name, instrument);
  }
}
