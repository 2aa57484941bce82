# gnuplot docs/results/plots/predictor-size.gp: docs/results/plots/predictor-size.svg
set terminal svg size 760,440 font "sans,12" background "white"
set output "docs/results/plots/predictor-size.svg"
set datafile missing "nan"
set key autotitle columnhead outside right
set logscale x
set xlabel "share of the training problems"
set ylabel "%"
set grid
plot for [i=2:5] "docs/results/plots/predictor-size.tsv" using 1:i with linespoints linewidth 2
