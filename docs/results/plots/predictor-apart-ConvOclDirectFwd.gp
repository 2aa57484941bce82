# gnuplot predictor-apart-ConvOclDirectFwd.gp: predictor-apart-ConvOclDirectFwd.svg
set terminal svg size 760,440 font "sans,12" background "white"
set output "predictor-apart-ConvOclDirectFwd.svg"
set key autotitle columnhead outside right
set style data histogram
set style fill solid
set xtics rotate by -30
set yrange [0:]
set ylabel "%"
set grid ytics
plot for [i=2:5] "predictor-apart-ConvOclDirectFwd.tsv" using i:xtic(1)
