/* A roofline as a picture of characters: GFLOP/s over operations a byte. */
#include "roofline.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { WIDTH = 64, HEIGHT = 18 };

typedef struct frame {
    double left, right, low, high; /* logarithms of the ends of both axes */
    char cells[HEIGHT][WIDTH + 1];
} frame;

static bool is_shown(const ritz_roofline_point *p)
{
    return p->intensity > 0 && p->gflop_s > 0 && isfinite(p->intensity) && isfinite(p->gflop_s);
}

static int place_on_axis(double value, double from, double to, int n)
{
    const double at = (log10(value) - from) / (to - from) * (n - 1);
    return (int)fmin(n - 1, fmax(0, floor(at + 0.5)));
}

/* Around the points and the ridge, a little wider. */
static void choose_ends(frame *f, double bandwidth, double rate, const ritz_roofline_point *points, int n)
{
    f->left = f->right = log10(rate / bandwidth);
    f->low = f->high = log10(rate);
    for (int k = 0; k < n; k++)
        if (is_shown(&points[k])) {
            f->left = fmin(f->left, log10(points[k].intensity));
            f->right = fmax(f->right, log10(points[k].intensity));
            f->low = fmin(f->low, log10(points[k].gflop_s));
            f->high = fmax(f->high, log10(points[k].gflop_s));
        }
    f->left -= 0.3;
    f->right += 0.3;
    f->low -= 0.2;
    f->high += 0.1;
}

static void draw_roof(frame *f, double bandwidth, double rate, const ritz_roofline_point *points, int n)
{
    for (int row = 0; row < HEIGHT; row++) {
        memset(f->cells[row], ' ', WIDTH);
        f->cells[row][WIDTH] = '\0';
    }
    for (int column = 0; column < WIDTH; column++) {
        const double intensity = pow(10, f->left + (f->right - f->left) * column / (WIDTH - 1));
        const double roof = fmin(rate, bandwidth * intensity);
        if (log10(roof) >= f->low)
            f->cells[place_on_axis(roof, f->low, f->high, HEIGHT)][column] = roof < rate ? '/' : '-';
    }
    for (int k = 0; k < n; k++)
        if (is_shown(&points[k])) {
            char *cell = &f->cells[place_on_axis(points[k].gflop_s, f->low, f->high, HEIGHT)]
                                  [place_on_axis(points[k].intensity, f->left, f->right, WIDTH)];
            *cell = *cell >= 'a' && *cell <= 'z' ? '*' : (char)('a' + k % 26);
        }
}

void ritz_cli_print_roofline(FILE *file, double bandwidth, double rate, const ritz_roofline_point *points, int n)
{
    frame f;
    if (!(bandwidth > 0) || !(rate > 0))
        return;
    choose_ends(&f, bandwidth, rate, points, n);
    draw_roof(&f, bandwidth, rate, points, n);
    fprintf(file, "\nGFLOP/s over operations a byte; / %.4g GB/s, - %.4g GFLOP/s\n", bandwidth, rate);
    for (int row = HEIGHT - 1; row >= 0; row--)
        fprintf(file, "%9.3g |%s\n", pow(10, f.low + (f.high - f.low) * row / (HEIGHT - 1)), f.cells[row]);
    fprintf(file, "%9s +", "");
    for (int column = 0; column < WIDTH; column++)
        fputc('-', file);
    fprintf(file, "\n%9s  %-10.3g%*.3g\n", "", pow(10, f.left), WIDTH - 10, pow(10, f.right));
    for (int k = 0; k < n; k++)
        if (is_shown(&points[k]))
            fprintf(file, "  %c %-12s %8.3g operations a byte %9.4g GFLOP/s\n", 'a' + k % 26, points[k].name,
                    points[k].intensity, points[k].gflop_s);
    fputs("  * several of them\n", file);
}
