import type { Signal, System } from '../base/system.ts';
import type { Streams } from '../output/streams.ts';

/** Who hears of a signal. */
interface SignalWatch {
  /** From now on `listener` hears of signals; answers with what gives them back. */
  listen(listener: (signal: Signal) => void): () => void;
  isListening(): boolean;
  end(): void;
}

/** Ctrl-C and its like end a command at once, with a word (B41), unless the command hears them itself. */
export function watchSignals(system: System, streams: Streams): SignalWatch {
  let heard: ((signal: Signal) => void) | undefined;
  let isDying = false;
  const listen = (signal: Signal): void => {
    const die = (): void => system.dieOf(signal);
    if (heard) heard(signal);
    else if (isDying) die();
    else {
      isDying = true;
      streams.messageNow('interrupted').then(die, die);
    }
  };
  const stops = [
    ...(['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => system.onSignal(signal, () => listen(signal))),
    // B89. Ctrl-T on BSD and macOS; elsewhere nobody sends SIGINFO.
    ...(['SIGUSR2', 'SIGINFO'] as const).map((signal) => system.onSignal(signal, () => streams.progress.status())),
  ];
  return {
    listen(listener) {
      heard = listener;
      return () => {
        heard = undefined;
      };
    },
    isListening: () => heard !== undefined,
    end: () => {
      for (const stop of stops) stop();
    },
  };
}
