/*
 * yardstick.c - Algorithm 1 of "Good Arm Identification via Bandit Feedback" (ICML 2018), simulated fast.
 * The speed yardstick of the planner's engine, and its oracle: same streams, same arithmetic, same bits.
 *
 *   compile   cc -O3 -march=native -o yardstick yardstick.c -lm
 *   use       yardstick RULE KIND S2 XI DELTA BURN_IN N_MAX RUNS SEED TRUTHKEY MEAN...
 *             RULE hdoc | lucb-g | apt-g | equal; KIND bernoulli (pass .25 as S2) | gaussian (S2 is sigma^2)
 *   example   yardstick hdoc bernoulli .25 .5 .05 5 100000 1000 1 1 .1 .1 .1 .35 .45 .55 .65 .9 .9 .9
 *
 * Prints one line of JSON. With DUMP=1 in the environment, one line per run comes before it, holding for
 * each arm verdict:decided:assigned:sum (verdict 1 good, -1 bad, 0 undecided; decided is t at the verdict).
 *
 * What makes it fast
 *   - The identification criterion is two curves by n, so a check is two comparisons with the outcome sum
 *     (integers for Bernoulli outcomes). Roots and logarithms are tables, by n and by t.
 *   - Patients are treated in runs. The outer loop finds the leading arm and a bound that no other arm's
 *     score exceeds; the inner loop keeps the leader's stream and sum in registers for as long as its score
 *     stays above the bound (13 patients or more on average in the paper's settings).
 *   - For HDoC, whose scores grow with t, the bound is taken at a somewhat later t, where the run ends at
 *     the latest. A score not strictly above the bound only means: back to the exact comparison.
 *   - A Bernoulli outcome is a comparison added to a sum, never a branch: a coin flip cannot be predicted.
 *   - When one arm is left there is nothing to compare, and no score is computed.
 *   - Every (rule, kind) has a loop of its own: run() is inlined with both as constants.
 */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__) /* a fused a + b*c would round differently; packing a stream into a vector is slow */
#pragma GCC optimize("fp-contract=off", "no-tree-slp-vectorize")
#endif
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define INLINE static inline __attribute__((always_inline))
#define RARELY(condition) __builtin_expect(!!(condition), 0)
#define MAX_ARMS 64

enum rule { HDOC, LUCB_G, APT_G, EQUAL };
enum kind { BERNOULLI, GAUSSIAN };

/* ---------------------------------------------------------------- random streams */

typedef struct { uint64_t a, b, c, d; } stream; /* xoshiro256++ */

INLINE uint64_t rotl(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

INLINE uint64_t next(stream *s) {
    uint64_t result = rotl(s->a + s->d, 23) + s->a, shifted = s->b << 17;
    s->c ^= s->a, s->d ^= s->b, s->b ^= s->c, s->a ^= s->d;
    s->c ^= shifted, s->d = rotl(s->d, 45);
    return result;
}

INLINE double uniform(stream *s) { return (double)(int64_t)(next(s) >> 11) * 0x1p-53; }

/* An arm's stream starts at the Philox4x64-10 block with key (seed, truthkey) and counter (replicate, arm, 0, 0). */
static stream open_stream(uint64_t seed, uint64_t truthkey, uint64_t replicate, uint64_t arm) {
    uint64_t x0 = replicate, x1 = arm, x2 = 0, x3 = 0;
    for (int round = 0; round < 10; round++) {
        unsigned __int128 p = (unsigned __int128)0xD2E7470EE14C6C93u * x0;
        unsigned __int128 q = (unsigned __int128)0xCA5A826395121157u * x2;
        x0 = (uint64_t)(q >> 64) ^ x1 ^ seed, x1 = (uint64_t)q;
        x2 = (uint64_t)(p >> 64) ^ x3 ^ truthkey, x3 = (uint64_t)p;
        seed += 0x9E3779B97F4A7C15u, truthkey += 0xBB67AE8584CAA73Bu;
    }
    return (stream){x0, x1, x2, x3};
}

/* ---------------------------------------------------------------- outcomes */

#define R 3.6541528853610088 /* where the ziggurat's tail begins */

static struct { uint64_t k; double w, f; } zig[257]; /* by layer: limit of sure acceptance, scale, density */

static void build_ziggurat(void) {
    double x[257] = {0}, f_r = exp(-R * R / 2), v = R * f_r + sqrt(3.141592653589793 / 2) * erfc(R / sqrt(2));
    x[0] = v / f_r, x[1] = R;
    for (int i = 1; i <= 254; i++) x[i + 1] = sqrt(-2 * log(exp(-x[i] * x[i] / 2) + v / x[i]));
    for (int i = 0; i <= 256; i++) zig[i].w = x[i] / 0x1p53, zig[i].f = exp(-x[i] * x[i] / 2);
    for (int i = 0; i < 256; i++) zig[i].k = (uint64_t)(x[i + 1] / x[i] * 0x1p53);
}

INLINE double with_sign_of(uint64_t bits, double z) {
    union { double z; uint64_t pattern; } u = {z};
    u.pattern ^= (bits & 256) << 55;
    return u.z;
}

/* A normal draw whose first bits fell outside the sure part of their layer (1.5 in 100). */
__attribute__((noinline)) static double normal_slow(stream *s, uint64_t bits) {
    for (;; bits = next(s)) {
        unsigned layer = bits & 255;
        uint64_t m = bits >> 11;
        double z = (double)(int64_t)m * zig[layer].w, a, b;
        if (m < zig[layer].k) return with_sign_of(bits, z);
        if (layer == 0) {
            do {
                a = -log(1 - uniform(s)) / R;
                b = -log(1 - uniform(s));
            } while (!(2 * b > a * a));
            return with_sign_of(bits, R + a);
        }
        double height = zig[layer].f + uniform(s) * (zig[layer + 1].f - zig[layer].f);
        if (height < exp(-z * z / 2)) return with_sign_of(bits, z);
    }
}

INLINE double normal(stream *s) {
    uint64_t bits = next(s), m = bits >> 11;
    unsigned layer = bits & 255;
    if (!RARELY(m >= zig[layer].k)) return with_sign_of(bits, (double)(int64_t)m * zig[layer].w);
    stream copy = *s; /* so that the caller's stream can stay in registers */
    double z = normal_slow(&copy, bits);
    *s = copy;
    return z;
}

typedef struct { uint64_t limit; double mean, sigma; } truth; /* limit: a Bernoulli success is a draw below it */
typedef union { int64_t whole; double real; } total;           /* a sum of Bernoulli or of Gaussian outcomes */

INLINE double as_double(enum kind kind, total sum) { return kind == BERNOULLI ? (double)sum.whole : sum.real; }

INLINE total add_outcome(enum kind kind, total sum, stream *s, truth arm) {
    if (kind == BERNOULLI) sum.whole += (next(s) >> 11) < arm.limit;
    else sum.real += arm.mean + arm.sigma * normal(s);
    return sum;
}

/* ---------------------------------------------------------------- the design */

/* What depends on n alone: good if sum >= accept, bad if sum < reject; and the rule's table for the score. */
typedef struct { total accept, reject; double width; } by_count;

static struct {
    int arms, burn_in;
    int64_t n_max;
    double s2, xi, delta;
    truth truth[MAX_ARMS];
    by_count *by_n; /* 1 .. n_max */
    double *by_t;   /* 1 .. n_max: HDoC's sqrt(2 s2 log t), which never falls */
} design;

INLINE int verdict(enum kind kind, total sum, const by_count *row) {
    int good = kind == BERNOULLI ? sum.whole >= row->accept.whole : sum.real >= row->accept.real;
    int bad = kind == BERNOULLI ? sum.whole < row->reject.whole : sum.real < row->reject.real;
    return RARELY(good) ? 1 : RARELY(bad) ? -1 : 0;
}

static int build_tables(enum rule rule, enum kind kind) {
    double xi = design.xi;
    design.by_n = malloc((size_t)(design.n_max + 1) * sizeof *design.by_n);
    design.by_t = malloc((size_t)(design.n_max + 1) * sizeof *design.by_t);
    if (!design.by_n || !design.by_t) return 0;
    for (int64_t i = 1; i <= design.n_max; i++) {
        by_count *row = &design.by_n[i];
        double n = (double)i, r = sqrt(2 * design.s2 * log(4 * design.arms * n * n / design.delta) / n);
        double accept = n * (xi + r), reject = n * (xi - r);
        if (kind == BERNOULLI) { /* from just inside to the first whole sums that meet the predicate itself */
            accept = fmin(fmax(ceil(accept) - 2, 0), n + 1), reject = fmin(fmax(floor(reject) + 2, -1), n);
            while (accept <= n && !(accept / n - r >= xi)) accept++;
            while (reject >= 0 && !(reject / n + r < xi)) reject--;
            row->accept.whole = (int64_t)accept, row->reject.whole = (int64_t)reject + 1; /* "<=" becomes "<" */
        } else {
            row->accept.real = accept, row->reject.real = reject;
        }
        row->width = rule == HDOC ? 1 / sqrt(n) : rule == LUCB_G ? r : sqrt(n);
        design.by_t[i] = sqrt(2 * design.s2 * log(n));
    }
    return 1;
}

/* The part of a rule's score that changes only when the arm is pulled. Every rule takes the largest score. */
INLINE double base_score(enum rule rule, double sum, double n, double width) {
    double mean = sum / n;
    return rule == LUCB_G ? mean + width : rule == APT_G ? -(width * fabs(design.xi - mean)) : mean;
}

INLINE double score(enum rule rule, double base, double width, double at_t) {
    return rule == HDOC ? base + at_t * width : base;
}

/* ---------------------------------------------------------------- one trial */

typedef struct { stream stream; total sum; int64_t n, decided; int verdict; } arm_state;

/* Simulates one trial into arm[] and returns its number of patients. */
INLINE int64_t run(enum rule rule, enum kind kind, uint64_t seed, uint64_t truthkey, uint64_t replicate, arm_state *arm) {
    int64_t t = (int64_t)design.arms * design.burn_in;
    int left = 0, turn = 0, id[MAX_ARMS];   /* the undecided arms, lowest index first ... */
    double base[MAX_ARMS], width[MAX_ARMS]; /* ... and what their scores are made of */

    for (int i = 0; i < design.arms; i++) {
        arm_state a = {.stream = open_stream(seed, truthkey, replicate, (uint64_t)i), .n = design.burn_in};
        for (int j = 0; j < design.burn_in; j++) a.sum = add_outcome(kind, a.sum, &a.stream, design.truth[i]);
        a.verdict = verdict(kind, a.sum, &design.by_n[a.n]);
        a.decided = a.verdict ? t : 0;
        arm[i] = a;
        if (a.verdict) continue;
        id[left] = i;
        width[left] = design.by_n[a.n].width;
        base[left] = base_score(rule, as_double(kind, a.sum), (double)a.n, width[left]);
        left++;
    }

    while (left && t < design.n_max) {
        /* Who leads, and what will no other arm's score exceed as long as t < until? */
        int lead = 0;
        int64_t until = design.n_max;
        double best = -INFINITY, bound = -INFINITY;
        if (rule == EQUAL && left > 1) { /* fewest patients, lowest index: the arms take turns */
            lead = turn < left ? turn : 0;
            until = t + 1;
        } else if (left > 1) {
            if (rule == HDOC && until > t + 16 + t / 128) until = t + 16 + t / 128;
            for (int k = 0; k < left; k++) {
                double s = score(rule, base[k], width[k], design.by_t[t]);
                lead = s > best ? k : lead;
                best = s > best ? s : best;
            }
            for (int k = 0; k < left; k++) {
                double s = k == lead ? -INFINITY : score(rule, base[k], width[k], design.by_t[until]);
                bound = s > bound ? s : bound;
            }
        }

        /* Pull it until it is decided, loses the lead or time is up. */
        arm_state *a = &arm[id[lead]];
        const truth truth = design.truth[id[lead]];
        const by_count *first = &design.by_n[a->n], *row = first, *last = first + (until - t);
        stream stream = a->stream;
        total sum = a->sum;
        int found;
        if (left == 1 || rule == EQUAL) {
            do {
                sum = add_outcome(kind, sum, &stream, truth);
                found = verdict(kind, sum, ++row);
            } while (!found && row < last);
        } else {
            const double *at_t = &design.by_t[t];
            double n = (double)a->n, new_base = 0;
            do {
                sum = add_outcome(kind, sum, &stream, truth);
                found = verdict(kind, sum, ++row);
                if (found) break;
                n++, at_t++;
                new_base = base_score(rule, as_double(kind, sum), n, row->width);
            } while (row < last && score(rule, new_base, row->width, *at_t) > bound);
            base[lead] = new_base;
            width[lead] = row->width;
        }
        t += row - first;
        a->n += row - first;
        a->stream = stream;
        a->sum = sum;
        turn = lead + !found;
        if (!found) continue;
        a->verdict = found;
        a->decided = t;
        left--;
        for (int k = lead; k < left; k++) id[k] = id[k + 1], base[k] = base[k + 1], width[k] = width[k + 1];
    }
    return t;
}

/* One function for each rule and kind. */
typedef int64_t runner(uint64_t seed, uint64_t truthkey, uint64_t replicate, arm_state *arm);
#define RUNNER(rule, kind) \
    static int64_t rule##_##kind(uint64_t s, uint64_t k, uint64_t r, arm_state *a) { return run(rule, kind, s, k, r, a); }
#define BOTH(rule) RUNNER(rule, BERNOULLI) RUNNER(rule, GAUSSIAN)
BOTH(HDOC) BOTH(LUCB_G) BOTH(APT_G) BOTH(EQUAL)
static const struct { const char *name; runner *run[2]; } RULES[4] = {
    {"hdoc", {HDOC_BERNOULLI, HDOC_GAUSSIAN}}, {"lucb-g", {LUCB_G_BERNOULLI, LUCB_G_GAUSSIAN}},
    {"apt-g", {APT_G_BERNOULLI, APT_G_GAUSSIAN}}, {"equal", {EQUAL_BERNOULLI, EQUAL_GAUSSIAN}}};

/* ---------------------------------------------------------------- command line */

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int fail(const char *why) { return fprintf(stderr, "yardstick: %s\n", why), 2; }

int main(int argc, char **argv) {
    if (argc < 12) return fail("RULE KIND S2 XI DELTA BURN_IN N_MAX RUNS SEED TRUTHKEY MEAN...");
    if (argc > 11 + MAX_ARMS) return fail("too many arms");
    int rule = 0;
    while (rule < 4 && strcmp(argv[1], RULES[rule].name)) rule++;
    if (rule == 4) return fail("RULE is hdoc, lucb-g, apt-g or equal");
    enum kind kind = strcmp(argv[2], "gaussian") ? BERNOULLI : GAUSSIAN;
    if (kind == BERNOULLI && strcmp(argv[2], "bernoulli")) return fail("KIND is bernoulli or gaussian");
    design.s2 = atof(argv[3]), design.xi = atof(argv[4]), design.delta = atof(argv[5]);
    design.burn_in = atoi(argv[6]), design.n_max = atoll(argv[7]), design.arms = argc - 11;
    uint64_t runs = strtoull(argv[8], NULL, 0);
    if (runs < 1) return fail("RUNS is at least 1");
    uint64_t seed = strtoull(argv[9], NULL, 0), truthkey = strtoull(argv[10], NULL, 0);
    if (design.burn_in < 1 || (int64_t)design.arms * design.burn_in > design.n_max)
        return fail("N_MAX must cover a burn-in of at least one patient per arm");
    for (int i = 0; i < design.arms; i++) {
        truth *arm = &design.truth[i];
        arm->mean = atof(argv[11 + i]), arm->sigma = sqrt(design.s2);
        if (kind == GAUSSIAN) continue;
        if (!(arm->mean >= 0 && arm->mean <= 1)) return fail("a Bernoulli mean lies in [0, 1]");
        arm->limit = (uint64_t)ceil(arm->mean * 0x1p53);
    }
    build_ziggurat();
    if (!build_tables((enum rule)rule, kind)) return fail("no memory for tables of N_MAX rows");

    const char *dump = getenv("DUMP");
    int dumping = dump && !strcmp(dump, "1");
    long long patients = 0, sum_tau_1 = 0, n_tau_1 = 0, sum_tau_stop = 0, n_tau_stop = 0;
    double sum_outcomes = 0, start = now();
    for (uint64_t replicate = 0; replicate < runs; replicate++) {
        arm_state arm[MAX_ARMS];
        int64_t t = RULES[rule].run[kind](seed, truthkey, replicate, arm), tau_1 = INT64_MAX;
        int undecided = 0;
        for (int i = 0; i < design.arms; i++) {
            const arm_state *a = &arm[i];
            double sum = as_double(kind, a->sum);
            sum_outcomes += sum;
            undecided += !a->verdict;
            if (a->verdict == 1 && a->decided < tau_1) tau_1 = a->decided;
            if (dumping)
                printf("%s%d:%lld:%lld:%.17g", i ? " " : "", a->verdict, (long long)a->decided, (long long)a->n, sum);
        }
        if (dumping) putchar('\n');
        patients += t;
        if (tau_1 < INT64_MAX) sum_tau_1 += tau_1, n_tau_1++;
        if (!undecided) sum_tau_stop += t, n_tau_stop++;
    }
    double seconds = now() - start;
    printf("{\"patients\": %lld, \"seconds\": %.6f, \"ns_per_patient\": %.3f, \"sum_tau_1\": %lld, \"n_tau_1\": %lld, "
           "\"sum_tau_stop\": %lld, \"n_tau_stop\": %lld, \"sum_outcomes\": %.17g}\n",
           patients, seconds, 1e9 * seconds / (double)patients, sum_tau_1, n_tau_1, sum_tau_stop, n_tau_stop,
           sum_outcomes);
    return 0;
}
