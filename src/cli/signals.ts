import type { Signal, System } from '../base/system.ts';
import type { Streams } from '../output/streams.ts';

/** Where signals go. */
interface SignalWatch {
  /** From now on signals go to `listener`. Answers with a function that ends that. */
  listen(listener: (signal: Signal) => void): () => void;
  isListening(): boolean;
  end(): void;
}

/** Ctrl-C and other signals end a command at once, with a message (B41), unless the command listens itself. */
export function watchSignals(system: System, streams: Streams): SignalWatch {
  let listener: ((signal: Signal) => void) | undefined;
  let isDying = false;
  const listen = (signal: Signal): void => {
    const die = (): void => system.dieOf(signal);
    if (listener) listener(signal);
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
    listen(next) {
      listener = next;
      return () => {
        listener = undefined;
      };
    },
    isListening: () => listener !== undefined,
    end: () => {
      for (const stop of stops) stop();
    },
  };
}
