package sampling.chaos;

import java.lang.invoke.MethodHandles;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.HashSet;
import java.util.Set;

/** Loads, runs and unloads classes of short-lived loaders, and hidden classes. */
final class ClassLoading implements Burden.Body {
  private final byte[] work = Bytes.of(Work.class);
  private final ReferenceQueue<ClassLoader> gone = new ReferenceQueue<>();
  private final Set<Reference<ClassLoader>> loaders = new HashSet<>();
  private long unloaded;

  @Override
  public void round() throws Exception {
    for (int i = 0; i < 10; i++) {
      Bytes.Loader loader = new Bytes.Loader(Work.class);
      loaders.add(new WeakReference<>(loader, gone));
      run(loader.loadClass(Work.class.getName()));
      run(MethodHandles.lookup().defineHiddenClass(work, true).lookupClass());
    }
    for (Reference<?> each = gone.poll(); each != null; each = gone.poll()) {
      loaders.remove(each);
      unloaded++;
    }
    // "collections" collects all the time, so loaders that remain would be held by something.
    if (loaders.size() > 100_000) {
      throw new IllegalStateException(loaders.size() + " loaders are alive, " + unloaded + " were unloaded");
    }
  }

  private static void run(Class<?> type) throws ReflectiveOperationException {
    ((Runnable) type.getDeclaredConstructor().newInstance()).run();
  }
}
