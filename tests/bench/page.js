// Runs the benchmarks of this page's Octane suite, each several times, and sends the server the median
// duration of a run. The scripts are loaded in one task and each benchmark runs in another, so objects
// that the scripts created are older than the event of the benchmark.
const now = () => performance.now();

/** Milliseconds that a run takes, the median over samples of at least 20 ms. */
function measure(benchmark, warming, measuring) {
  const warm = now() + warming;
  do benchmark.run();
  while (now() < warm);
  const samples = [];
  const end = now() + measuring;
  do {
    const start = now();
    let runs = 0;
    do {
      benchmark.run();
      runs++;
    } while (now() < start + 20);
    samples.push((now() - start) / runs);
  } while (now() < end);
  return samples.sort((one, two) => one - two)[samples.length >> 1];
}

const times = [];
const waiting = BenchmarkSuite.suites.flatMap((suite) => suite.benchmarks);
function next() {
  const benchmark = waiting.shift();
  if (!benchmark) return void navigator.sendBeacon('/result', JSON.stringify(times));
  BenchmarkSuite.ResetRNG();
  benchmark.Setup();
  times.push(measure(benchmark, 5000, 2000));
  benchmark.TearDown();
  setTimeout(next, 0);
}
addEventListener('load', () => setTimeout(next, 100));
