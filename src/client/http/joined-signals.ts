import { setMaxListeners } from 'node:events';

/**
 * A signal that is given to a call adds to the standing one and never replaces it (`D22`): what ends a command ends all of its
 * calls. Made once for each signal that is given, however many calls share it.
 */
export function joinedWith(standing: AbortSignal | undefined): (given?: AbortSignal) => AbortSignal | undefined {
  const joined = new WeakMap<AbortSignal, AbortSignal>();
  return (given) => {
    if (!standing || !given || given === standing) return given ?? standing;
    let both = joined.get(given);
    if (!both) {
      both = AbortSignal.any([standing, given]);
      // Each call under way listens to it, and Node takes more than ten for a leak.
      setMaxListeners(0, both);
      joined.set(given, both);
    }
    return both;
  };
}
