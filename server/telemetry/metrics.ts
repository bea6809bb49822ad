/** Records metrics, and reads those that are observed. */

import type { Attributes, Meter, Observable } from '@opentelemetry/api';
import { INSTRUMENTS, type Instrument } from './instruments.ts';

type Instruments = typeof INSTRUMENTS;
type Key = keyof Instruments;
type Observed = { [K in Key]: Instruments[K]['kind'] extends `observed ${string}` ? K : never }[Key];
type Recorded = Exclude<Key, Observed>;

/** Says what a metric reads. */
export type Say<K extends Observed> = (key: K, value: number, attributes?: Attributes) => void;

/** The metrics of one gateway. */
export interface Metrics {
  /** Adds one to a counter, or one value to a histogram. @param value in the metric's unit. */
  record(key: Recorded, value: number, attributes: Attributes): void;
  /** Has metrics read, all at once, whenever they are collected. */
  observe<K extends Observed>(keys: readonly K[], read: (say: Say<K>) => void): void;
}

/** Creates the instruments of `INSTRUMENTS`. */
export function createMetrics(meter: Meter): Metrics {
  const recorders = new Map<Key, (value: number, attributes: Attributes) => void>();
  for (const [key, instrument] of entries()) {
    if (instrument.kind === 'counter') {
      const counter = meter.createCounter(instrument.name, instrument);
      recorders.set(key, (value, attributes) => counter.add(value, attributes));
    } else if (instrument.kind === 'histogram') {
      const advice = { explicitBucketBoundaries: [...(instrument.buckets ?? [])] };
      const histogram = meter.createHistogram(instrument.name, { ...instrument, advice });
      recorders.set(key, (value, attributes) => histogram.record(value, attributes));
    }
  }
  return {
    record: (key, value, attributes) => recorders.get(key)?.(value, attributes),
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

function entries(): [Key, Instrument][] {
  return Object.entries(INSTRUMENTS) as [Key, Instrument][];
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
